"""A thought without text is written again, or reported as lost: some models are trained on it."""

import json
from typing import Any

import pytest

from tests.trajectory.validate.rows import OPENAI, OTHER, SHAREGPT, TRL, changed
from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import Loss, RowOptions

EMPTY = ["<think></think>", "<think>\n\n</think>\n\n"]
LLAMAFACTORY: dict[str, Any] = {
    "conversations": [
        {"from": "human", "value": "a"},
        {"from": "function_call", "value": '<think>\n\n</think>\n\n{"name": "now", "arguments": {}}'},
        {"from": "observation", "value": "1"},
        {"from": "gpt", "value": "b"},
    ],
    "tools": json.dumps([OTHER["function"]]),
}
MS_SWIFT: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "<think>\n\n</think>\n\n"},
        {"role": "tool_call", "content": '{"name": "now", "arguments": {}}'},
        {"role": "tool_response", "content": "1"},
        {"role": "assistant", "content": "b"},
    ],
    "tools": json.dumps([OTHER]),
}
ROWS = {
    "sharegpt": (changed(SHAREGPT, "conversations", 4, "value", to=f"{EMPTY[0]}Sun."), 4),
    "sharegpt with line breaks": (changed(SHAREGPT, "conversations", 4, "value", to=f"{EMPTY[1]}Sun."), 4),
    "a text of openai": (changed(OPENAI, "messages", 5, "content", to=f"{EMPTY[1]}Sun."), 5),
    "a key of openai": (changed(OPENAI, "messages", 5, "reasoning_content", to=""), 5),
    "a key of trl": (changed(TRL, "messages", 2, "reasoning_content", to=""), 2),
    "llamafactory": (LLAMAFACTORY, 1),
    "ms-swift": (MS_SWIFT, 1),
}


@pytest.mark.parametrize("to", WRITTEN)
@pytest.mark.parametrize("name", ROWS)
def test_an_empty_thought_is_written_or_reported(name: str, to: str) -> None:
    row, entry = ROWS[name]
    form = detect_format(row)
    assert form is not None
    done = convert_row(row, form, FORMATS[to], RowOptions(label=True))
    if done.row is None:  # preference formats need a rejected answer
        assert done.problems
        return
    lost = [change.entry for change in done.losses if change.code is Loss.EMPTY_THOUGHTS]
    text = json.dumps(done.row).replace("\\n", "")
    assert ("<think></think>" in text) is (not lost)
    assert lost in ([], [entry])


def test_a_row_without_an_empty_thought_loses_none() -> None:
    row = changed(SHAREGPT, "conversations", 4, "value", to="<think>\nhm\n</think>\nSun.")
    for to in ("trl", "openai", "llamafactory", "hermes-agent", "raw"):
        done = convert_row(row, FORMATS["sharegpt"], FORMATS[to], RowOptions())
        assert Loss.EMPTY_THOUGHTS not in {change.code for change in done.changes}
