"""`workbench train --method grpo`: ten steps on a suite, resumed after a stop, and the call for a GPU machine."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy
import pytest

from tests.training.test_train import weights_of
from workbench.engines.embedded_model import find_embedded

CHECKOUT = Path(__file__).parents[2]

pytest.importorskip("trl", reason="the extra train is not installed: make test EXTRAS=train")
pytestmark = [pytest.mark.train, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(1200)]


def run(base, out, *more, suites=("weather", "shop")):
    """Train, and return the log. A step has two episodes of a case with at most eight tokens."""
    few = [
        "--batch",
        "2",
        "--samples",
        "2",
        "--completion-tokens",
        "8",
        "--lora-rank",
        "4",
        "--save-steps",
        "2",
    ]
    where = ["--method", "grpo", "--base", str(base), "--out", str(out), "--threads", "1"]
    few += ["--reward", '{"result": 1, "format": 0.5}']
    result = subprocess.run(
        [sys.executable, "-m", "workbench", "train", *suites, *where, *few, *more],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "WORKBENCH_DATA": str(out.parent / "data"), "OMP_NUM_THREADS": "1"},
    )
    return result.returncode, result.stderr


def test_ten_steps_have_a_receipt_and_are_the_same_after_a_resume(tmp_path, tiny_base):
    code, log = run(tiny_base, tmp_path / "whole", "--max-steps", "10")
    assert code == 0, log
    receipt = json.loads((tmp_path / "whole" / "receipt.json").read_text())
    assert receipt["steps"] == 10 == len(receipt["reward_by_step"]) and "step 10/10  loss" in log
    assert all(0 <= reward <= 1 for _, reward in receipt["reward_by_step"])
    assert receipt["rows"]["suites"] == ["weather", "shop"] and receipt["rows"]["rows"] >= 20
    assert receipt["settings"]["grpo"] == {"samples": 2, "completion_tokens": 8, "temperature": 1.0}
    assert (tmp_path / "whole" / "adapter.gguf").is_file() and (tmp_path / "whole" / "README.md").is_file()

    code, log = run(tiny_base, tmp_path / "whole", "--max-steps", "10")
    assert code != 0 and "the folder contains a stopped run" in log
    (tmp_path / "again").mkdir()
    checkpoints = tmp_path / "again" / "checkpoints"
    subprocess.run(["cp", "-r", tmp_path / "whole" / "checkpoints", checkpoints], check=True)
    subprocess.run(["rm", "-r", checkpoints / "checkpoint-10"], check=True)
    code, log = run(tiny_base, tmp_path / "again", "--max-steps", "10", "--resume")
    assert code == 0 and "step 9/10" in log and "step 8/10" not in log, log
    resumed, whole = weights_of(tmp_path / "again"), weights_of(tmp_path / "whole")
    assert resumed.keys() == whole.keys()
    assert all(numpy.array_equal(resumed[name], whole[name]) for name in whole)


@pytest.mark.model
def test_ten_steps_of_the_embedded_model_continue_its_adapter(tmp_path):
    few = ["--completion-tokens", "16", "--threads", "2", "--save-steps", "5", "--max-steps", "10"]
    start = ["--start", "embedded", "--lora-rank", "32"]
    code, log = run("embedded", tmp_path / "out", *start, *few, suites=("weather",))
    assert code == 0, log
    receipt = json.loads((tmp_path / "out" / "receipt.json").read_text())
    assert receipt["steps"] == 10 == len(receipt["reward_by_step"])
    assert receipt["base"]["sha256"] == sha256(find_embedded().read_bytes()).hexdigest()
    assert receipt["start"]["name"] == "adapter.gguf" and receipt["tokens_trained"] > 0
    assert (tmp_path / "out" / "adapter.gguf").is_file()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--batch", "3"], "2 samples do not divide 3"),
        (["--validate-steps", "1"], "it has no --validate-steps"),
        (["--reward", '{"luck": 1}'], "a reward has the parts format"),
    ],
)
def test_settings_that_do_not_fit_are_refused(tmp_path, tiny_base, options, problem):
    code, log = run(tiny_base, tmp_path / "out", *options)
    assert code == 2 and problem in log
    assert not (tmp_path / "out" / "receipt.json").exists()


def test_the_call_for_a_gpu_machine_trains_on_suites_with_a_processor_too(tmp_path, tiny_base):
    variables = {
        "METHOD": "grpo",
        "DEVICE": "cpu",
        "SUITES": "weather shop",
        "STEPS": "2",
        "BATCH": "2",
        "SAMPLES": "2",
        "TOKENS": "8",
        "LORA_RANK": "4",
        "PRECISION": "f32",
        "BASE": str(tiny_base),
        "FOLDER": str(tmp_path / "folder"),
        "COMMANDS": str(Path(sys.executable).parent),
        "START": "",
        "WORKBENCH_DATA": str(tmp_path / "data"),
        "OMP_NUM_THREADS": "1",
    }
    for name in ("out", "again"):
        result = subprocess.run(
            [CHECKOUT / "scripts/gpu/train.sh", tmp_path / name],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        receipt = json.loads((tmp_path / name / "receipt.json").read_text())
        assert receipt["steps"] == 2 == len(receipt["reward_by_step"])
    assert (tmp_path / "out" / "adapter.gguf").read_bytes() == (
        tmp_path / "again" / "adapter.gguf"
    ).read_bytes()
