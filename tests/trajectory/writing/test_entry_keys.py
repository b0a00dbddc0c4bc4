"""Keys of messages that no reader uses are written where the format has a place, and otherwise reported."""

import json
from typing import Any

import pytest

from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.validate.check import check_completely
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
    row: dict[str, Any] = {
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


@pytest.mark.parametrize("content", [{"content": None}, {"content": ""}, {}])
@pytest.mark.parametrize("to", ["openai", "trl", "sharegpt", "llamafactory", "raw"])
def test_a_refusal_is_never_an_empty_answer(content: dict[str, Any], to: str) -> None:
    answer = {"role": "assistant", **content, "refusal": "I will not."}
    row = chat({"role": "user", "content": "Hi"}, answer)
    assert [finding.code for finding in check_completely(FORMATS["openai"].read(row)).findings] == []
    done = converted(row, to)
    assert done.row is not None and done.read_back is not None
    assert done.read_back.entries[-1].text == "I will not."
    assert done.read_back.entries[-1].others == ({} if to == "raw" else {"refusal": "I will not."})
    assert [str(change.code) for change in done.changes if change.code == "refusal-as-text"] == [
        "refusal-as-text"
    ]
    assert lost_keys(done) == ([(1, "refusal")] if to == "raw" else [])


def test_members_and_masks_of_the_parts_of_a_content_are_kept_or_reported() -> None:
    parts = [
        {"type": "text", "text": "Let me think.", "train": False},
        {"type": "text", "text": " Four.", "cache_control": {"type": "ephemeral"}},
    ]
    done = converted(
        chat({"role": "user", "content": "2+2?"}, {"role": "assistant", "content": parts}), "openai"
    )
    assert done.row is not None
    messages: Any = done.row["messages"]
    assert messages[1] == {
        "role": "assistant",
        "content": "Let me think. Four.",
        "train_detail": [
            {"begin_offset": 0, "end_offset": 12, "train": False},
            {"begin_offset": 13, "end_offset": 18, "train": True},
        ],
    }
    assert lost_keys(done) == [(1, "content/1/cache_control")]


def test_members_of_a_record_of_a_result_stay_with_the_result() -> None:
    record = {"tool_call_id": "c1", "name": "f", "content": "no", "is_error": True}
    row = {
        "conversations": [
            {"from": "human", "value": "Hi"},
            {
                "from": "gpt",
                "value": '<think>\n</think>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            },
            {"from": "tool", "value": f"<tool_response>\n{json.dumps(record)}\n</tool_response>"},
            {"from": "gpt", "value": "<think>\n</think>\nDone"},
        ],
        "tools": '[{"type": "function", "function": {"name": "f", "description": "d"}}]',
        "completed": True,
    }
    done = converted(row, "trl")
    assert done.row is not None
    messages: Any = done.row["messages"]
    assert messages[2] == {
        "role": "tool",
        "content": "no",
        "is_error": True,
        "tool_call_id": "c1",
        "name": "f",
    }
    assert not done.losses
    back = convert_row(done.row, FORMATS["trl"], FORMATS["llamafactory"], RowOptions())
    assert lost_keys(back) == []
    for to in ("sharegpt", "hermes-agent", "raw"):
        done = converted(row, to)
        assert not done.losses and json.dumps(json.dumps(record))[1:-1] in json.dumps(done.row)
    assert lost_keys(converted(row, "llamafactory")) == [(2, "is_error")]


def test_every_key_of_a_call_is_kept_or_reported() -> None:
    call = {
        "id": "c1",
        "type": "custom",
        "index": 3,
        "name": "g",
        "extra_content": {"google": {"thought_signature": "x"}},
        "function": {"name": "f", "arguments": "{}", "strict": True},
    }
    row = chat(
        {"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [call]}
    )
    done = converted(row, "openai")
    assert done.row is not None
    messages: Any = done.row["messages"]
    written = messages[1]["tool_calls"][0]
    assert written["extra_content"] == call["extra_content"] and written["strict"] is True
    assert [loss.detail for loss in done.losses] == ["'name' of 'f'", "'type' of 'f'", "'index' of 'f'"]


@pytest.mark.parametrize("to", ["ms-swift", "llamafactory-v1", "openai"])
@pytest.mark.parametrize("keys", [{"name": "bob", "zz": 1}, {"zz": 1, "name": "bob", "a": 2}])
def test_the_order_of_keys_is_kept(keys: dict[str, Any], to: str) -> None:
    done = converted(
        chat({"role": "user", "content": "a", **keys}, {"role": "assistant", "content": "b"}), to
    )
    assert done.row is not None and not done.losses
    messages: Any = done.row["messages"]
    assert [key for key in messages[0] if key in keys] == list(keys)


def test_a_result_that_is_a_list_of_objects_loses_nothing() -> None:
    call: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {}}}
    rows = chat(
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": [{"t": 4, "weight": 1}]},
        {"role": "assistant", "content": "b"},
    )
    done = converted(rows, "trl")
    assert done.row is not None and not done.losses
    messages: Any = done.row["messages"]
    assert messages[2]["content"] == '[{"t": 4, "weight": 1}]'


def test_the_members_of_an_input_of_openai_stay_in_it() -> None:
    row: dict[str, Any] = {
        "input": {"messages": [{"role": "user", "content": "a"}], "tool_choice": "auto", "model": "m"},
        "preferred_output": [{"role": "assistant", "content": "b"}],
        "non_preferred_output": [{"role": "assistant", "content": "c"}],
    }
    done = converted(row, "openai-preference")
    assert done.row == row and not done.losses
