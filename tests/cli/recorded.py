"""Run the recorded command lines, and reduce their output to what programs rely on.

Compared are exit codes, the keys and values of JSON, the bytes of prompts and files, and the codes of findings.
Sentences for people may be rewritten, so they only have to be there.

To add a step, add it to `tests/golden/cli/steps.yaml`, run `python -m tests.cli.recorded`, and review the difference in
`tests/golden/cli/outputs.json`.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import yaml

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
OUTPUTS = GOLDEN / "outputs.json"

SENTENCES = frozenset(
    {
        "message",
        "remedy",
        "reason",
        "note",
        "notes",
        "why",
        "problem",
        "problems",
        "meaning",
        "warning",
        "label",
        "what",
    }
)
"""JSON keys whose values are sentences."""
_VARYING = (
    (re.compile(r"\b[0-9a-f]{32}\b"), "<id>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "<day>"),
    (re.compile(r"sqlite:///\S+"), "<database>"),
)
_MEASURED = re.compile(r"(seconds|milliseconds|_ms|_s|_at|bytes|pid|memory\w*|per_second|^search_words\w*)$")
"""JSON keys whose numbers differ from run to run: times, sizes, and internal tables of SQLite's full-text search."""


def steps() -> list[dict[str, Any]]:
    """Return the command lines to run."""
    return yaml.safe_load((GOLDEN / "steps.yaml").read_text())


def run_steps(
    run: Callable[..., CompletedProcess[str]], folder: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run every step and yield its name and its reduced output.

    Args:
        run: Runs `workbench` with its arguments.
        folder: An empty folder for the files that commands write.
    """
    variables: dict[str, str] = {}
    for step in steps():
        places = {"IN/": f"{GOLDEN / 'inputs'}/", "OUT/": f"{folder}/"}
        arguments = [_filled(argument, variables, places) for argument in step["run"]]
        done = run(*arguments)
        found: dict[str, Any] = {"code": done.returncode}
        if step["data"] == "json":
            values = _values(done.stdout)
            for name, path in step.get("keep", {}).items():
                variables[name] = values[0][path]
            found["out"] = [reduced(value, folder) for value in values]
        elif step["data"] == "bytes":
            found["out"] = _steady(done.stdout, folder)
        else:
            found["out"] = "some" if done.stdout.strip() else ""
        if done.returncode:
            found["err"] = "some" if done.stderr.strip() else ""
        for name in step.get("written", ()):
            found[name] = [reduced(value, folder) for value in _values((folder / name).read_text())]
        yield step["name"], found


def reduced(value: Any, folder: Path, key: str = "") -> Any:
    """Replace sentences, and what differs from run to run, by placeholders."""
    if isinstance(value, Mapping):
        return {name: reduced(inner, folder, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [reduced(item, folder, key) for item in value]
    if isinstance(value, str):
        return ("<text>" if value else "") if key in SENTENCES else _steady(value, folder)
    if isinstance(value, int | float) and not isinstance(value, bool) and _MEASURED.search(key):
        return "<number>"
    return value


def _filled(argument: str, variables: Mapping[str, str], places: Mapping[str, str]) -> str:
    for prefix, place in places.items():
        argument = argument.replace(prefix, place)
    return re.sub(r"\{(\w+)\}", lambda match: variables[match[1]], argument)


def _values(text: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def _steady(text: str, folder: Path) -> str:
    text = text.replace(str(folder), "<out>").replace(str(GOLDEN / "inputs"), "<in>")
    for pattern, placeholder in _VARYING:
        text = pattern.sub(placeholder, text)
    return text


def _record() -> None:
    import os
    import subprocess
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as data, TemporaryDirectory() as out:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
        environment |= {"WORKBENCH_DATA": data, "WORKBENCH_HOME": str(Path(__file__).parents[2])}

        def run(*arguments: str) -> CompletedProcess[str]:
            line = [sys.executable, "-m", "workbench", *arguments]
            return subprocess.run(
                line, env=environment, capture_output=True, text=True, check=False, timeout=300
            )

        found = dict(run_steps(run, Path(out)))
    OUTPUTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    _record()
