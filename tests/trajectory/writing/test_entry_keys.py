"""Keys of messages that no reader uses are written where the format has a place, and otherwise reported."""

from typing import Any

import pytest

from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.writing.convert import Converted, convert_row
from workbench.trajectory.writing.row_draft import RowOptions

RATED = {"images": ["a.png"], "rating": 5, "metadata": {"x": 1, "y": [1.0, None]}}


def converted(row: dict[str, Any], to: str) -> Converted:
    form = detect_format(row)
    assert form is not None
    done = convert_row(row, form, FORMATS[to], RowOptions())
    assert done.row is not None, done.problems
    return done


def chat(*messages: dict[str, Any], **columns: Any) -> dict[str, Any]:
    return {"messages": list(messages), **columns}


def lost_keys(done: Converted) -> list[tuple[int | None, str]]:
    return [(loss.entry, loss.detail) for loss in done.losses if loss.code == "entry-keys"]


CHAT = chat(
    {"role": "system", "content": "Be brief.", "name": "rules"},
    {"role": "user", "content": "Hi", "name": "ann", **RATED},
    {"role": "assistant", "content": "Hello", **RATED},
)


@pytest.mark.parametrize("to", ["openai", "trl", "sharegpt", "hermes-agent"])
def test_formats_with_entries_keep_the_keys_of_messages(to: str) -> None:
    done = converted(CHAT, to)
    assert done.row is not None
    entries: Any = done.row.get("messages", done.row.get("conversations"))
    assert lost_keys(done) == []
    assert [entry.get("name") for entry in entries] == ["rules", "ann", None]
    assert [entry.get("metadata") for entry in entries] == [None, RATED["metadata"], RATED["metadata"]]


def test_a_column_and_a_text_have_no_place_for_keys() -> None:
    assert lost_keys(converted(CHAT, "llamafactory")) == [(0, "name")]
    assert [key for _, key in lost_keys(converted(CHAT, "raw"))] == ["name", "name", *RATED, *RATED]


def test_a_key_that_means_something_else_in_the_target_is_reported() -> None:
    row = {
        "conversations": [
            {"from": "human", "value": "Hi", "role": "boss", "tool_calls": []},
            {"from": "gpt", "value": "Hello", "content": "x", "reasoning": "because"},
        ]
    }
    lost = [(0, "role"), (0, "tool_calls"), (1, "content"), (1, "reasoning")]
    assert lost_keys(converted(row, "trl")) == lost
    assert lost_keys(converted(row, "sharegpt")) == []


def test_results_that_share_an_entry_keep_what_they_have_in_common() -> None:
    def result(number: int, **keys: Any) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": f"c{number}", "content": "1", **keys}

    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for number in (1, 2)
    ]
    row = chat(
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        result(1, status="success", source="live", weight=0),
        result(2, status="error", source="live"),
        {"role": "assistant", "content": "Done"},
        tools=[{"type": "function", "function": {"name": "f", "description": "d"}}],
    )
    done = converted(row, "sharegpt")
    assert done.row is not None
    entries: Any = done.row["conversations"]
    assert entries[3].keys() == {"from", "value", "source"}
    assert lost_keys(done) == [(2, "status"), (3, "status")]
    assert [loss.entry for loss in done.losses if loss.code == "loss-mask"] == [2]


def test_a_null_is_no_key() -> None:
    row = chat({"role": "user", "content": "Hi", "name": None}, {"role": "assistant", "content": "Yo"})
    assert lost_keys(converted(row, "raw")) == []
