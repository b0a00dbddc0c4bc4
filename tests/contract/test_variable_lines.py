"""Variables as lines of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.contract.contract import VARIABLE_NAME, parse_variables, show_variables


@given(st.dictionaries(st.from_regex(VARIABLE_NAME, fullmatch=True), st.text()))
def test_any_value_survives_being_written_as_a_line(values):
    assert parse_variables(show_variables(values)) == values


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("tone = formal", "formal"),
        ('tone = say "hi"', 'say "hi"'),
        ('tone = "two\\nlines"', "two\nlines"),
        ('tone = "open', '"open'),
        ("tone = ", ""),
    ],
)
def test_a_value_is_plain_text_or_a_json_string(line, value):
    assert parse_variables(line) == {"tone": value}
