"""A contract and the offered tools are composed into the system text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.contract.compose import compose
from workbench.contract.contract import Contract
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.spec import OfferedTools, ToolSpec

NOW = ToolSpec.of_function({"name": "now", "description": "Now.", "parameters": {"type": "object"}})
TOOLS = OfferedTools(specs=(NOW,))


def composed(
    text: str, family: str = "hermes-lines", values: dict[str, str] | None = None, **declared: str
) -> str:
    contract = Contract(name="mine", title="T", family=family, variables=declared, text=text, first_line=10)
    return compose(contract, TOOLS, variables={"date": "2026-11-21", **(values or {})})


def error_of(text: str, values: dict[str, str] | None = None, **declared: str) -> str:
    with pytest.raises(BadInput) as caught:
        composed(text, values=values, **declared)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no placeholder",
        '{"a": {"b": 1}}',
        "{ tools }",
        "{tools}",
        "{{}}",
        "{{ }}",
        "{{1}}",
        '{{"a": 1}}',
        "}} {{",
        "{% tools %}",
        "${tools}",
    ],
)
def test_text_that_is_not_a_placeholder_stays_as_it_is(text: str) -> None:
    assert composed(text) == text


@pytest.mark.parametrize("spelled", ["{{ date }}", "{{date}}", "{{  date\t}}"])
def test_blanks_in_a_placeholder_do_not_matter(spelled: str) -> None:
    assert composed(f"a {spelled} b") == "a 2026-11-21 b"


def test_values_override_the_defaults_of_declared_variables() -> None:
    assert composed("{{ who }}", who="a helper") == "a helper"
    assert composed("{{ who }}", values={"who": "a poet"}, who="a helper") == "a poet"


def test_a_declared_date_has_a_default() -> None:
    contract = Contract(name="n", title="T", family="qwen3", variables={"date": "today"}, text="{{ date }}")
    assert compose(contract, TOOLS, variables={}) == "today"


def test_placeholders_in_a_value_are_not_filled() -> None:
    assert composed("{{ who }}", who="{{ tools }} {{ x }}") == "{{ tools }} {{ x }}"


@pytest.mark.parametrize("spelled", ["{{ '{{' }} tools }}", '{{"{{"}} tools }}'])
def test_two_literal_braces_can_be_written(spelled: str) -> None:
    assert composed(spelled) == "{{ tools }}"


@pytest.mark.parametrize("family", FAMILIES)
def test_tools_are_written_in_the_format_of_the_family(family: str) -> None:
    text = composed("<tools>\n{{ tools }}\n</tools>", family=family)
    assert text == f"<tools>\n{FAMILIES[family].render_tools(TOOLS)}\n</tools>"


def test_a_contract_may_leave_the_tools_out() -> None:
    assert composed("Just talk.") == "Just talk."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a\n{{ nope }}",
            "contract 'mine', line 11: variable 'nope' is unknown (known variables: tools, date, who; declare others",
        ),
        (
            "{{ tools | tojson }}",
            "contract 'mine', line 10: '{{ tools | tojson }}' is not a placeholder (write {{ name",
        ),
        ("{{ user.name }}", "contract 'mine', line 10: '{{ user.name }}' is not a placeholder"),
        ("{{ tools }", "contract 'mine', line 10: '{{ tools }' is not a placeholder"),
        ("x {{ tools\n}}", "contract 'mine', line 10: '{{ tools' is not a placeholder"),
    ],
)
def test_a_malformed_placeholder_is_reported_with_its_line(text: str, message: str) -> None:
    assert error_of(text, who="x").startswith(message)


def test_a_missing_date_is_reported() -> None:
    contract = Contract(name="mine", title="T", family="qwen3", text="{{ date }}")
    with pytest.raises(BadInput, match="line 1: variable 'date' has no value"):
        compose(contract, TOOLS, variables={})


def test_a_value_for_an_undeclared_variable_is_reported() -> None:
    assert error_of("x", values={"whoo": "x"}, who="y") == (
        "contract 'mine': it has no variable 'whoo' (did you mean 'who'?)"
    )


@settings(deadline=None)
@given(st.text(alphabet="ab{}' \"\n", max_size=30))
def test_text_without_placeholders_is_composed_unchanged(text: str) -> None:
    try:
        result = composed(text, a="<A>", b="<B>", ab="<AB>")
    except BadInput:
        assert "{{" in text
    else:
        assert result == text or "{{" in text
