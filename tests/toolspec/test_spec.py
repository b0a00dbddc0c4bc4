"""Tool specs, and how lists of them are compared."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.toolspec.spec import OfferedTools, ToolSpec, canonical_json

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def offered(*functions: dict[str, Any]) -> OfferedTools:
    return OfferedTools(specs=tuple(ToolSpec.of_function(function) for function in functions))


def turned(value: Any) -> Any:
    """Return the same value with the keys of each object in reverse order."""
    if isinstance(value, dict):
        return {key: turned(inner) for key, inner in reversed(value.items())}
    return [turned(inner) for inner in value] if isinstance(value, list) else value


@given(function=st.dictionaries(st.text(), documents, max_size=4))
def test_a_fingerprint_ignores_the_order_of_keys(function: dict[str, Any]) -> None:
    assert offered(function).fingerprint == offered(turned(function)).fingerprint


@given(one=documents, other=documents)
def test_different_values_have_different_canonical_texts(one: Any, other: Any) -> None:
    assert (canonical_json(one) == canonical_json(other)) == (
        repr(turned_sorted(one)) == repr(turned_sorted(other))
    )


def turned_sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: turned_sorted(value[key]) for key in sorted(value)}
    return [turned_sorted(inner) for inner in value] if isinstance(value, list) else value


def test_a_fingerprint_depends_on_the_order_of_tools_and_lists() -> None:
    f, g = {"name": "f"}, {"name": "g"}
    assert offered(f, g).fingerprint != offered(g, f).fingerprint
    assert offered({"enum": [1, 2]}).fingerprint != offered({"enum": [2, 1]}).fingerprint


def test_half_of_a_surrogate_pair_has_a_fingerprint() -> None:
    assert offered({"name": "\ud800"}).fingerprint != offered({"name": "\ud801"}).fingerprint


def test_missing_parts_of_a_spec_are_empty() -> None:
    spec = ToolSpec(document={"type": "function", "function": {"parameters": None, "name": "f"}})
    assert (spec.name, spec.description, spec.parameters, spec.properties, spec.required) == (
        "f",
        "",
        {},
        {},
        (),
    )


def test_selected_tools_keep_their_order() -> None:
    tools = offered({"name": "a"}, {"name": "b"}, {"name": "c"})
    assert tools.only(frozenset({"c", "a"})).names == ("a", "c")
