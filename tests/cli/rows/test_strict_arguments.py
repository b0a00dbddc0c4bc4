"""A row that `convert --strict` leaves out does not decide how arguments are written."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _row(value: object, **more: object) -> dict[str, object]:
    call = {"type": "function", "function": {"name": "f", "arguments": {"a": value}}}
    answer = {"role": "assistant", "tool_calls": [call], **more}
    return {"messages": [{"role": "user", "content": "q"}, answer]}


def test_a_row_that_strict_leaves_out_does_not_make_arguments_text(
    run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in (_row(1), _row("x", weight=0))))
    assert run_cli("convert", str(file), "--to", "trl", "--strict", "--out", str(out)).code == 1
    (written,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert written["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
