"""vLLM's tests of its tool parsers, run unchanged with the reader behind vLLM's parser classes."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tests.conformance.archives import VLLM
from tests.conformance.outcome import Completion, Outcome, Suite

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]


def _outcomes(folder: Path, *, files: Sequence[str]) -> Iterator[Outcome]:
    """Run these test files; a name that begins with `-` is left out of those that the others match."""
    tests = folder / "tests"
    left_out = {path for name in files if name.startswith("-") for path in tests.glob(name[1:])}
    paths = [path for name in files for path in sorted(tests.glob(name)) if path not in left_out]
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "outcomes.jsonl"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "vllm_harness",
            "-p",
            "no:cacheprovider",
            "--runxfail",
        ]
        command += [
            "-c",
            os.devnull,
            f"--rootdir={folder}",
            f"--confcutdir={tests / 'tool_parsers'}",
            *map(str, paths),
        ]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), str(CHECKOUT), str(folder)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "CONFORMANCE_OUT": str(out),
            "CONFORMANCE_PLUGIN": str(CHECKOUT / "workbench/gateway/vllm_plugin.py"),
        }
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if ran.returncode not in (0, 1):
            raise RuntimeError(f"vLLM's tests do not run:\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}")
        for line in out.read_text(encoding="utf-8").splitlines():
            outcome = json.loads(line)
            given = [Completion(**completion) for completion in outcome["completions"]]
            texts = "\n".join(map(str, given))
            yield Outcome(
                id=outcome["id"],
                agrees=outcome["agrees"],
                details=f"{texts}\n{outcome['details']}",
                completions=tuple(given),
            )


def _suite(name: str, *files: str, cases: int) -> Suite:
    return Suite(name=name, archive=VLLM, cases=cases, outcomes=partial(_outcomes, files=files))


_HERMES = ("tool_parsers/test_hermes_tool_parser.py",)
_XML = (
    "tool_parsers/test_qwen3coder_tool_parser.py",
    "tool_parsers/test_step3p5_tool_parser.py",
    "parser/engine/test_qwen3.py",
)
_THINKING = (
    "parser/engine/test_qwen3_reasoning.py",
    "parser/engine/test_nemotron_v3.py",
    "parser/engine/test_step3p5.py",
)
_NO_TEXTS = ("-tool_parsers/test_utils.py", "-tool_parsers/test_structural_tag_registry.py")
VLLM_SUITES = (
    _suite("vLLM: Hermes", *_HERMES, cases=37),
    _suite("vLLM: Qwen3-Coder, Step 3.5", *_XML, cases=114),
    _suite("vLLM: Qwen3.5, Nemotron 3, with thoughts", *_THINKING, cases=20),
    _suite(
        "vLLM: other forms",
        "tool_parsers/test_*.py",
        *(f"-{name}" for name in (*_HERMES, *_XML)),
        *_NO_TEXTS,
        cases=338,
    ),
)
