"""A completion as written and as fixed, from one list of pieces."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.hermes.parse import fixed, parse
from workbench.ui.present.examples import EXAMPLES
from workbench.ui.present.read_text import FixChange, show_read_text

BROKEN = "Hm.\n<tool_call>\n{'name': 'f', 'arguments': {'a': 1,}}\n</tool_call>"


def assert_both_texts_match(text, **options):
    reading = parse(text, **options)
    view = show_read_text(reading)
    assert view.text(left_out=FixChange.AFTER) == text
    assert view.text(left_out=FixChange.BEFORE) == fixed(text, reading)


@pytest.mark.parametrize("level", ["strict", "tolerant", "lenient"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_the_pieces_join_to_the_text_and_the_fixed_text(example, level):
    assert_both_texts_match(example.text, level=level, finish_reason=example.finish_reason)


PARTS = st.sampled_from(
    ["<tool_call>", "</tool_call>", "<TOOL_CALL>", "<think>", "</think>", "<function=f>", "<parameter=a>", "</function>",
     '{"name": "f", "arguments": {', "'a': 1,", "}", "}}", "\n", "<|im_end|>", "<tool_response>", "word ", "```"]
)  # fmt: skip


@given(
    st.lists(PARTS | st.text(max_size=8), max_size=14).map("".join), st.sampled_from(["tolerant", "lenient"])
)
def test_the_pieces_join_to_both_texts_for_any_input(text, level):
    assert_both_texts_match(text, level=level)


def test_each_segment_has_its_label_and_colour():
    view = show_read_text(parse(f"<think>hm</think>\n{BROKEN}<tool_call>{{'na"))
    assert [(section.kind, section.label) for section in view.sections] == [
        ("thought", "thought"),
        ("text", "prose"),
        ("call", "call"),
        ("error", "unfinished"),
    ]


def test_whitespace_between_segments_has_no_label():
    view = show_read_text(parse("<think>a</think>\n<tool_call>{}</tool_call>"))
    assert [section.label for section in view.sections] == ["thought", "", "call"]


def test_a_change_names_its_fix():
    view = show_read_text(parse(BROKEN))
    changes = {piece.code for section in view.sections for piece in section.pieces if piece.change}
    assert changes == {"python-literal", "trailing-comma"}
    assert view.summary == "1 call · 2 fixes"


def test_an_inserted_closing_tag_belongs_to_its_call():
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n'
    view = show_read_text(
        parse(f"{call}<tool_call>\n{json.dumps({'name': 'g', 'arguments': {}})}\n</tool_call>")
    )
    first = view.sections[0]
    assert "</tool_call>" in [piece.text.strip() for piece in first.pieces if piece.change == "after"]


def test_tags_have_their_own_colour():
    (section,) = show_read_text(parse('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>')).sections
    assert [piece.text for piece in section.pieces if piece.kind == "mark"] == ["<tool_call>", "</tool_call>"]


def test_an_empty_text_shows_the_examples():
    view = show_read_text(parse(""))
    assert view.sections == ()
    assert len(view.empty.examples) == len(EXAMPLES)
