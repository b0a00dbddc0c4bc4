"""Word diffs of two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.present.compare.signs import WORDS_COMPARED, diff_words

WORDS = st.lists(st.sampled_from(["a", "bb", " ", "\n", ".", "<b>", "${x}", "ü", "🦉"]), max_size=20).map(
    "".join
)


def pairs(before, after):
    return [(word.kind, word.text) for word in diff_words(before, after)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("", "", [], id="nothing"),
        pytest.param("same", "same", [("same", "same")], id="alike"),
        pytest.param("", "new", [("add", "new")], id="all new"),
        pytest.param("old", "", [("drop", "old")], id="all gone"),
        pytest.param("cats", "catalog", [("drop", "cats"), ("add", "catalog")], id="words stay whole"),
        pytest.param("a b c", "a c", [("same", "a "), ("drop", "b "), ("same", "c")], id="one gone"),
    ],
)
def test_a_diff_shows_changed_words(before, after, expected):
    assert pairs(before, after) == expected


@given(WORDS, WORDS)
def test_the_pieces_join_to_both_texts(before, after):
    pieces = diff_words(before, after)
    assert "".join(word.text for word in pieces if word.kind != "add") == before
    assert "".join(word.text for word in pieces if word.kind != "drop") == after


def test_a_completely_changed_text_is_one_change():
    before = " ".join(f"a{number}" for number in range(WORDS_COMPARED))
    after = " ".join(f"b{number}" for number in range(WORDS_COMPARED))
    assert [kind for kind, _ in pairs(before, after)] == ["drop", "add"]


def test_a_line_of_a_million_characters_is_compared_by_its_ends():
    line = "x" * 500_000
    kinds = [kind for kind, _ in pairs(line + "a" + line, line + "b" + line)]
    assert kinds == ["same", "drop", "add", "same"]
