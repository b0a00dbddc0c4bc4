"""Answers of the API as JSON text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.api.request import as_text
from workbench.chat.json_value import JsonObject

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_an_answer_is_written_as_json_writes_it(value: JsonObject) -> None:
    assert as_text(value) == json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("value", [{"a": ["\ud800"]}, {"\udfff": {"b": "\ud800é"}}])
def test_halves_of_surrogate_pairs_are_escaped(value: JsonObject) -> None:
    assert as_text(value) == json.dumps(value)
