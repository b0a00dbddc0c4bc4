"""Edits without what stays the same at both ends."""

import pytest

from workbench.ui.present.text_spans import NarrowedEdit, narrow


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "</tool_call>"), (",", ""), ("True", "true"), ("a" * 40, "b"), ("", "")],
)
def test_a_short_edit_is_whole(before, after):
    assert narrow(before, after) == NarrowedEdit("", before, after, "")


def test_a_long_edit_keeps_its_ends():
    one, two = '{"name": "f", "arguments": {}}\n', '{"name": "g", "arguments": {}}'
    assert narrow(one + two, one + "</tool_call>\n<tool_call>\n" + two) == NarrowedEdit(
        one, "", "</tool_call>\n<tool_call>\n", two
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [("ab" * 20, "ab" * 30), ("x" * 30, "x" * 25), ("a" * 30, "a" * 30), ("abc" * 9, "cba" * 9)],
)
def test_the_parts_are_the_edit(before, after):
    made = narrow(before, after)
    assert made.prefix + made.before + made.suffix == before
    assert made.prefix + made.after + made.suffix == after
