"""A loss mask of one part of a message, such as a text or a call, is not that of the others."""

from typing import Any

import pytest

from tests.trajectory.formats.test_masks import convert, entries_of, row_with
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.validate.check import check_completely

MASKED: dict[str, Any] = {"weight": 0}
FREE: dict[str, Any] = {}
Parts = list[tuple[str, dict[str, Any]]]
"""`thought`, `call` or a text for each part, with its other members."""
CALL = {"name": "f", "arguments": "{}"}


def item_of(kind: str, part: dict[str, Any]) -> dict[str, Any]:
    """Return an item of OpenAI's Responses: a reasoning, a call, or a message with one text."""
    if kind == "thought":
        return {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm"}], **part}
    if kind == "call":
        return {"type": "function_call", "call_id": "c1", **CALL, **part}
    return {"type": "message", "role": "assistant", "content": kind, **part}


def block_of(kind: str, part: dict[str, Any]) -> dict[str, Any]:
    """Return a block of Anthropic's API."""
    if kind == "thought":
        return {"type": "thinking", "thinking": "Hm", "signature": "s", **part}
    if kind == "call":
        return {"type": "tool_use", "id": "c1", "name": "f", "input": {}, **part}
    return {"type": "text", "text": kind, **part}


def answer_of(shape: str, parts: Parts) -> dict[str, Any]:
    """Return a row with one answer."""
    others = [part for kind, part in parts if kind == "call"]
    if shape == "items":
        return {"input": [{"role": "user", "content": "Hi"}, *[item_of(*part) for part in parts]]}
    if shape == "item parts":
        texts = [{"type": "output_text", "text": kind, **part} for kind, part in parts if kind not in KINDS]
        rest = [item_of(kind, part) for kind, part in parts if kind in KINDS]
        message = {"type": "message", "role": "assistant", "content": texts}
        return {"input": [{"role": "user", "content": "Hi"}, message, *rest]}
    if shape == "blocks":
        answer = {"role": "assistant", "content": [block_of(*part) for part in parts]}
        return {"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}, answer]}
    if shape == "langchain":
        content = [block_of(*part) for part in parts if part[0] != "call"]
        calls: list[Any] = [
            {"name": "f", "args": FREE, "id": "c1", "type": "tool_call", **part} for part in others
        ]
        answer = {"type": "ai", "content": content, "tool_calls": calls}
        return {"messages": [{"type": "human", "content": "Hi"}, answer]}
    if shape == "values":
        names = {"thought": ("reasoning", "Hm"), "call": ("tool_call", '{"name": "f", "arguments": {}}')}
        spelled = [(*names.get(kind, ("text", kind)), part) for kind, part in parts]
        content = [{"type": kind, "value": value, **part} for kind, value, part in spelled]
        return {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": content}]}
    texts = [{"type": "text", "text": kind, **part} for kind, part in parts if kind not in KINDS]
    calls = [{"id": "c1", "type": "function", "function": CALL, **part} for part in others]
    thought = {"reasoning_content": "Hm"} if parts[0][0] == "thought" else {}
    return row_with("role", {**thought, "content": texts or None, **({"tool_calls": calls} if calls else {})})


KINDS = ("thought", "call")
PART_SHAPES = ["items", "item parts", "blocks", "langchain", "values", "chat"]


TEXT_MASKS: list[tuple[tuple[dict[str, Any], dict[str, Any]], list[bool] | int | None]] = [
    ((MASKED, FREE), [False, True]),
    ((MASKED, {"train": True}), [False, True]),
    ((FREE, {"loss": False}), [True, False]),
    ((MASKED, MASKED), 0),
    (({"weight": 1}, FREE), 1),
    ((FREE, FREE), None),
]


@pytest.mark.parametrize(("masks", "expected"), TEXT_MASKS)
@pytest.mark.parametrize("shape", PART_SHAPES)
def test_a_mask_of_a_text_is_that_of_its_characters(
    shape: str, masks: tuple[dict[str, Any], dict[str, Any]], expected: list[bool] | int | None
) -> None:
    row = answer_of(shape, [("Bad.", masks[0]), ("Good.", masks[1])])
    done = convert(row, "openai")
    answer = entries_of(done)[-1]
    # Texts of two items are paragraphs.
    text, losses = ("Bad.\n\nGood.", ["part-order"]) if shape == "items" else ("Bad.Good.", [])
    assert answer["content"] == text and [loss.code for loss in done.losses] == losses
    if isinstance(expected, list):
        spans = zip([0, 4], [3, len(text) - 1], expected, strict=True)
        assert answer["train_detail"] == [
            {"begin_offset": begin, "end_offset": end, "train": train} for begin, end, train in spans
        ]
        assert "weight" not in answer
    else:
        assert answer.get("weight") == expected and "train_detail" not in answer
    has_mask = expected is not None
    assert ("loss-mask" in [loss.code for loss in convert(row, "trl").losses]) == has_mask


CALL_CASES: list[tuple[Parts, int | None, bool]] = [
    ([("call", MASKED)], 0, False),
    ([("Bad.", MASKED), ("call", MASKED)], 0, False),
    ([("Bad.", MASKED), ("call", FREE)], None, True),
    ([("Good.", FREE), ("call", MASKED)], None, True),
    ([("Good.", FREE), ("call", {"weight": 1})], 1, False),
]
"""Parts, the weight of their message, and whether their masks are lost."""
FREE_THOUGHT: tuple[Parts, int | None, bool] = ([("thought", FREE), ("Bad.", MASKED)], None, True)
THOUGHT_CASES: list[tuple[Parts, int | None, bool]] = [
    ([("thought", MASKED), ("Bad.", MASKED), ("call", MASKED)], 0, False),
    ([("thought", MASKED), ("Good.", FREE)], None, True),
    FREE_THOUGHT,
]


@pytest.mark.parametrize(
    ("shape", "parts", "weight", "is_lost"),
    [
        *[(shape, *case) for shape in PART_SHAPES for case in CALL_CASES],
        *[(shape, *case) for shape in ("items", "blocks", "langchain", "values") for case in THOUGHT_CASES],
        # Its thought is a text without parts.
        ("chat", *FREE_THOUGHT),
    ],
)
def test_a_mask_of_a_call_or_of_a_part_beside_one_is_that_of_all_or_reported(
    shape: str, parts: Parts, weight: int | None, *, is_lost: bool
) -> None:
    done = convert(answer_of(shape, parts), "openai")
    assert ("loss-mask" in [loss.code for loss in done.losses]) == is_lost
    assert entries_of(done)[-1].get("weight") == weight
    assert str(entries_of(done)).count("weight") == (0 if weight is None else 1)
    assert "train_detail" not in str(done.row) and "content/" not in str(done.row)


@pytest.mark.parametrize(
    ("shape", "kind", "pointer"),
    [
        ("items", "Good.", "/input/1/weight"),
        ("items", "thought", "/input/1/weight"),
        ("items", "call", "/input/1/weight"),
        ("blocks", "Good.", "/messages/1/content/0/weight"),
        ("blocks", "thought", "/messages/1/content/0/weight"),
        ("blocks", "call", "/messages/1/content/0/weight"),
        ("langchain", "call", "/messages/1/tool_calls/0/weight"),
        ("values", "Good.", "/messages/1/content/0/weight"),
        ("values", "call", "/messages/1/content/0/weight"),
        ("chat", "Good.", "/messages/1/content/0/weight"),
        ("chat", "call", "/messages/1/tool_calls/0/weight"),
    ],
)
def test_a_value_that_is_no_mask_is_found_in_its_part(shape: str, kind: str, pointer: str) -> None:
    row = answer_of(shape, [(kind, {"weight": 0.5})])
    form = detect_format(row)
    assert form is not None
    found = [one for one in check_completely(form.read(row)).findings if one.code == "mask-value"]
    assert [(finding.pointer, finding.message) for finding in found] == [
        (pointer, "`weight` is 0.5; a loss mask is 0, 1, false or true")
    ]


def test_what_a_message_says_counts_for_its_parts_that_say_nothing() -> None:
    parts = [{"type": "text", "text": "A", "weight": 1}, {"type": "text", "text": "B"}]
    detail = [
        {"begin_offset": 0, "end_offset": 0, "train": True},
        {"begin_offset": 1, "end_offset": 1, "train": False},
    ]
    row = row_with("role", {"content": parts, "weight": 0})
    row["messages"][0]["content"] = [parts[0], parts[1]]
    for entry in entries_of(convert(row, "openai")):
        assert entry["train_detail"] == detail and "weight" not in entry
    for key, value in (("weight", 1), ("content", [parts[1]])):
        row["messages"][1][key] = value
        assert "train_detail" not in entries_of(convert(row, "openai"))[1]


@pytest.mark.parametrize("value", [70, 1])
def test_an_argument_outside_of_the_arguments_does_not_become_a_mask(value: int) -> None:
    call = {"type": "function", "id": "c1", "function": {"name": "f", "arguments": "{}", "weight": value}}
    done = convert(row_with("role", {"content": None, "tool_calls": [call]}), "openai")
    assert [(loss.code, loss.detail) for loss in done.losses] == [("call-members", "'weight' of 'f'")]
    assert "weight" not in str(done.row)


def test_a_refusal_has_the_mask_of_its_part() -> None:
    answer, part = {"type": "message", "role": "assistant"}, {"type": "refusal", "refusal": "No"}
    for item in ({**answer, "content": [part], **MASKED}, {**answer, "content": [{**part, **MASKED}]}):
        done = convert({"input": [{"role": "user", "content": "Hi"}, item]}, "openai")
        assert entries_of(done)[1]["content"] == "No" and entries_of(done)[1]["weight"] == 0
