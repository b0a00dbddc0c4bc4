"""The text of a completion in progress."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.present.live import LiveText

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": "x"}}\n</tool_call>'


def fed(text, size=3):
    live = LiveText()
    for start in range(0, len(text), size):
        live.feed(text[start : start + size])
    return live


def kinds(live):
    """Return the kinds of the pieces that are not marks, without repetitions in a row."""
    found_kinds = []
    for piece in live.pieces():
        if piece.kind != "mark" and piece.text.strip() and found_kinds[-1:] != [piece.kind]:
            found_kinds.append(piece.kind)
    return found_kinds


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello.", ["text"]),
        ("<think>hm</think>Hello.", ["thought", "text"]),
        ("<think>hm", ["thought"]),
        ("hm</think>Hello.", ["thought", "text"]),
        (f"Hm.\n{CALL}\nHello.", ["text", "call", "text"]),
        (f"{CALL}\n{CALL}", ["call"]),
        ('Hm. <tool_call>{"na', ["text", "call"]),
    ],
)
def test_each_part_has_its_kind(text, expected, size):
    assert kinds(fed(text, size)) == expected


def test_a_call_is_named_until_it_is_complete():
    assert fed(CALL[:-20]).calling == "f"
    assert fed(CALL).calling == ""


PARTS = st.sampled_from(
    ["<tool_call>", "</tool_call>", "<TOOL_CALL>", "<think>", "</think>", "<function=f>", "<tools>", "\n", "<", ">", "`",
     '{"name": "f", "arguments": {', "'a': 1,", "}}", "<|im_end|>", "\n<tool_response>", "word ", "```"]
)  # fmt: skip


@given(st.lists(PARTS | st.text(max_size=8), max_size=16))
def test_the_shown_text_is_always_the_received_text(pieces):
    live = LiveText()
    for place, piece in enumerate(pieces):
        live.feed(piece)
        assert "".join(piece.text for piece in live.pieces()) == "".join(pieces[: place + 1])
