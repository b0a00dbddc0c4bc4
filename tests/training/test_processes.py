"""Training on several processes, which gives the same as one process with the same texts per step."""

import json
import signal
import socket

import numpy
import pytest

from tests.training.test_train import STEPS, command, run, run_and_signal, run_python, signalled, weights_of
from workbench.errors import BadInput
from workbench.training.processes import batch_per_process, is_main_process, process_count

pytest.importorskip("accelerate", reason="the extra train is not installed: make test EXTRAS=train")
pytestmark = [pytest.mark.train, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(1200)]


def launch():
    """Return the options of Python that start two processes on this machine, which exchange gradients by gloo."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    launcher = [
        "-m",
        "accelerate.commands.launch",
        "--multi_gpu",
        "--num_processes",
        "2",
        "--num_machines",
        "1",
    ]
    few = ["--num_cpu_threads_per_process", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    return [*launcher, *few, "--main_process_port", str(port)]


def run_by_two(*words):
    return run_python([*launch(), *command(*words)])


def receipt_of(out):
    return json.loads((out / "receipt.json").read_text())


def assert_same(out, other, *, processes):
    receipt = receipt_of(out)
    assert receipt["processes"] == processes
    losses, others = ([loss for _, loss in one["loss_by_step"]] for one in (receipt, receipt_of(other)))
    numpy.testing.assert_allclose(losses, others, rtol=1e-3)
    weights, others = weights_of(out), weights_of(other)
    assert weights.keys() == others.keys()
    for name in weights:
        numpy.testing.assert_allclose(weights[name], others[name], atol=1e-4)


@pytest.fixture(scope="module")
def alone(rows_file, tiny_base, tmp_path_factory):
    """A run in one process."""
    out = tmp_path_factory.mktemp("alone") / "run"
    done = run(rows_file, tiny_base, out)
    assert done.returncode == 0, done.stderr
    return out


def test_two_processes_give_the_loss_curve_of_one_with_the_same_texts_per_step(
    alone, rows_file, tiny_base, tmp_path
):
    done = run_by_two(rows_file, tiny_base, tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(f"step {STEPS}/{STEPS}  loss ") == 1, "only one process reports"
    assert_same(tmp_path / "run", alone, processes=2)


def test_a_run_of_one_process_is_resumed_by_two_and_the_other_way_round(
    alone, rows_file, tiny_base, tmp_path
):
    _, code = run_and_signal(signal.SIGKILL, f"step 4/{STEPS}", rows_file, tiny_base, tmp_path / "one")
    assert code == -signal.SIGKILL
    done = run_by_two(rows_file, tiny_base, tmp_path / "one", "--resume")
    assert done.returncode == 0, done.stderr
    assert_same(tmp_path / "one", alone, processes=2)
    killed = signalled(signal.SIGKILL, f"step 4/{STEPS}", command(rows_file, tiny_base, tmp_path / "two"))
    assert "Signal 9 (SIGKILL)" in run_python([*launch(), *killed]).stderr
    done = run(rows_file, tiny_base, tmp_path / "two", "--resume")
    assert done.returncode == 0, done.stderr
    assert_same(tmp_path / "two", alone, processes=1)


def test_processes_share_the_texts_of_a_step_evenly(monkeypatch):
    assert (process_count(), is_main_process(), batch_per_process(3)) == (1, True, 3)
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert (process_count(), is_main_process(), batch_per_process(4)) == (2, False, 2)
    with pytest.raises(BadInput, match="a multiple of 2"):
        batch_per_process(3)
