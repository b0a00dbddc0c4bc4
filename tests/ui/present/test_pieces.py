"""Texts cut into pieces without losing a character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.chat.finding import Span
from workbench.ui.present.text_spans import cut_pieces, mark_spans, marked_pieces


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("plain", []),
        ("a < b, <b>bold</b>, <toolbox>", []),
        ("<|im_start|>user\nHi<|im_end|>", ["<|im_start|>", "<|im_end|>"]),
        ("<tool_call>{}</tool_call>", ["<tool_call>", "</tool_call>"]),
        ("<think>x</think>", ["<think>", "</think>"]),
        ("<function=f>", ["<function=f>"]),
    ],
)
def test_marks_are_found_in_text(text, marks):
    assert [span.of(text) for span in mark_spans(text)] == marks


@given(st.text(alphabet=st.sampled_from(list("<|>/_abtoolcalimendthinkfunction= \n\U0001f600"))))
def test_pieces_join_to_the_text(text):
    assert "".join(piece.text for piece in marked_pieces(text)) == text


def test_pieces_keep_order_and_kinds():
    pieces = cut_pieces("a<b>c", [Span(1, 4)], kind="call")
    assert [(piece.text, piece.kind) for piece in pieces] == [("a", "call"), ("<b>", "mark"), ("c", "call")]
