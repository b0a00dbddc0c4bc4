"""Edits reduced to the part that changes."""

import pytest

from workbench.ui.present.text_spans import NarrowedEdit, narrow


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "</tool_call>"), (",", ""), ("True", "true"), ("a" * 40, "b"), ("", "")],
)
def test_a_short_edit_is_kept_whole(before, after):
    assert narrow(before, after) == NarrowedEdit("", before, after, "")


def test_a_long_edit_is_reduced_to_its_change():
    first, second = '{"name": "f", "arguments": {}}\n', '{"name": "g", "arguments": {}}'
    assert narrow(first + second, first + "</tool_call>\n<tool_call>\n" + second) == NarrowedEdit(
        first, "", "</tool_call>\n<tool_call>\n", second
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [("ab" * 20, "ab" * 30), ("x" * 30, "x" * 25), ("a" * 30, "a" * 30), ("abc" * 9, "cba" * 9)],
)
def test_the_parts_join_to_the_edit(before, after):
    narrowed = narrow(before, after)
    assert narrowed.prefix + narrowed.before + narrowed.suffix == before
    assert narrowed.prefix + narrowed.after + narrowed.suffix == after
