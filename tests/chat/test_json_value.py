"""The fast reader of JSON gives the same values and refuses the same texts as the standard library."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.chat.json_value import loads_fast

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
ODD = [
    "18446744073709551616", "-9223372036854775809", "1e400", "-0", "-0.0", "1E2", "[NaN]", "[Infinity]",
    '{"a": 1, "a": 2}', r'"\ud800"', "123456789012345678901234567890.5", "9" * 400, " [1] \r", "[1,]", "", "{'a': 1}",
    "[" * 100_000,
]  # fmt: skip


def outcome(read, text):
    try:
        return repr(read(text))
    except (ValueError, RecursionError) as error:
        return type(error)


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_are_read_the_same(text):
    assert outcome(loads_fast, text) == outcome(json.loads, text)
    assert outcome(loads_fast, text.encode()) == outcome(json.loads, text.encode())


@given(VALUES, st.booleans())
def test_any_value_is_read_the_same(value, is_ascii):
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert repr(loads_fast(text)) == repr(json.loads(text))
