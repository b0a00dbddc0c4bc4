"""Spans of tokens in a text."""

import pytest

from workbench.engines.llama_cpp import placed_tokens
from workbench.errors import EngineError


def test_tokens_cover_their_code_points_and_a_begin_token_covers_none():
    placed = placed_tokens("a😀b", [1, 2, 3, 4], [b"<s>", b"a\xf0", b"\x9f\x98\x80", b"b"])
    assert [tuple(token.span) for token in placed] == [(0, 0), (0, 2), (1, 2), (2, 3)]


def test_half_a_surrogate_pair_is_one_code_point():
    assert [tuple(token.span) for token in placed_tokens("\ud800!", [1, 2], [b"?", b"!"])] == [(0, 1), (1, 2)]


def test_an_empty_text_has_no_tokens_except_a_begin_token():
    assert placed_tokens("", [], []) == ()
    assert [tuple(token.span) for token in placed_tokens("", [1], [b"<s>"])] == [(0, 0)]


def test_a_vocabulary_that_changes_the_text_is_refused():
    with pytest.raises(EngineError, match="changes the text"):
        placed_tokens("ab", [1], [b"b"])
