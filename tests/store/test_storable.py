"""Texts that can be stored, and errors for those that cannot."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.store.storable import problem_of, refuse_unstorable


@dataclass(frozen=True)
class Holder:
    """A dataclass with a value."""

    inner: object


@given(text=st.text(alphabet=st.characters()))
def test_storable_text_is_valid_utf_8_without_nul(text: str) -> None:
    try:
        is_fine = b"\0" not in text.encode()
    except UnicodeEncodeError:
        is_fine = False
    assert (problem_of(text) is None) == is_fine


@pytest.mark.parametrize(
    "value",
    ["\0", ("a", "\0"), {"\0": 1}, {"a": ["\0"]}, frozenset({"\0"}), Holder("\0"), [Holder({"a": ("\0",)})]],
    ids=repr,
)
def test_unstorable_text_is_found_at_any_depth(value: object) -> None:
    with pytest.raises(BadInput, match=r"NUL \(U\+0000\), which cannot be stored \(remove it"):
        refuse_unstorable(value, "thing")


@pytest.mark.parametrize("value", [None, 1, 1.5, True, "", b"\0", {}, Holder(None), ("a", {"b": ["\r"]})])
def test_other_values_are_accepted(value: object) -> None:
    refuse_unstorable(value, "thing")


def test_the_error_names_the_position() -> None:
    with pytest.raises(BadInput) as caught:
        refuse_unstorable(Holder(Holder("ok\ud800")), "thing")
    assert caught.value.where == "thing.inner.inner"
    assert caught.value.problem == "character 3 is half of a surrogate pair (U+D800), which cannot be stored"
