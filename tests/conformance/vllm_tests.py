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
OPTIONS = (
    "--quiet", "-p", "vllm_harness", "-p", "no:cacheprovider", "--runxfail", "-c", os.devnull,
    "--rootdir=.", "--confcutdir=tests/tool_parsers",
)  # fmt: skip
"""Without vLLM's own settings and the fixtures of its server. What vLLM expects to fail itself counts as well."""


def _outcomes(folder: Path, *, tests: Sequence[str]) -> Iterator[Outcome]:
    """Run these files or tests. What begins with `-` is left out."""
    left_out = [f"--deselect=tests/{name[1:]}" for name in tests if name.startswith("-")]
    chosen = [f"tests/{name}" for name in tests if not name.startswith("-")]
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "outcomes.jsonl"
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), str(CHECKOUT), str(folder)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "CONFORMANCE_OUT": str(out),
            "CONFORMANCE_PLUGIN": str(CHECKOUT / "workbench/gateway/vllm_plugin.py"),
        }
        command = [sys.executable, "-m", "pytest", *OPTIONS, *left_out, *chosen]
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if ran.returncode not in (0, 1):
            raise RuntimeError(f"vLLM's tests do not run:\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}")
        for line in out.read_text(encoding="utf-8").splitlines():
            outcome = json.loads(line)
            given = [Completion(**completion) for completion in outcome["completions"]]
            yield Outcome(
                id=outcome["id"],
                agrees=outcome["agrees"],
                details="\n".join([*map(str, given), outcome["details"]]),
                completions=tuple(given),
            )


def _suite(name: str, *tests: str, cases: int) -> Suite:
    return Suite(name=name, archive=VLLM, cases=cases, outcomes=partial(_outcomes, tests=tests))


_HERMES = ("tool_parsers/test_hermes_tool_parser.py",)
_XML = ("tool_parsers/test_qwen3coder_tool_parser.py", "tool_parsers/test_step3p5_tool_parser.py")
_MIMO = "parser/engine/test_qwen3.py::test_mimo_preserves_verbatim_parameter_values"
"""A form with the tags of Qwen3-Coder."""
VLLM_SUITES = (
    _suite("vLLM: Hermes", *_HERMES, cases=29),
    _suite("vLLM: Qwen3-Coder, Step 3.5", *_XML, "parser/engine/test_qwen3.py", f"-{_MIMO}", cases=107),
    _suite(
        "vLLM: thoughts of Qwen3.5, Nemotron 3, Step 3.5",
        "parser/engine/test_qwen3_reasoning.py",
        "parser/engine/test_nemotron_v3.py",
        "parser/engine/test_step3p5.py",
        cases=24,
    ),
    _suite(
        "vLLM: other forms", "tool_parsers", _MIMO, *(f"-{name}" for name in (*_HERMES, *_XML)), cases=324
    ),
)
