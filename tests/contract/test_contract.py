"""Contracts as files: front matter and text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.contract.contract import Contract, parse_contract, render_contract
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES

WHOLE = """---
name: mine
title: My contract
family: hermes-lines
description: For trying.
variables:
  persona: a helper
  limit: 3
---
You are {{ persona }}.

{{ tools }}
"""


def refused(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse_contract(text, name="mine")
    return str(caught.value)


def front(lines: str) -> str:
    return f"---\ntitle: T\nfamily: hermes-lines\n{lines}\n---\nText\n"


def test_a_whole_file_is_read() -> None:
    assert parse_contract(WHOLE, name="mine") == Contract(
        name="mine",
        title="My contract",
        family="hermes-lines",
        description="For trying.",
        variables={"persona": "a helper", "limit": "3"},
        text="You are {{ persona }}.\n\n{{ tools }}",
    )


def test_the_line_at_which_the_text_begins_is_known() -> None:
    assert parse_contract(WHOLE, name="mine").first_line == 10


def test_title_and_family_are_enough_and_the_file_names_the_contract() -> None:
    contract = parse_contract("---\ntitle: T\nfamily: qwen3\n---\nText\n", name="other")
    assert contract == Contract(name="other", title="T", family="qwen3", text="Text")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Text\n", "Text"),
        ("Text", "Text"),
        ("Text\n\n", "Text\n"),
        ("\n Text \n", "\n Text "),
        ("", ""),
        ("\n", ""),
        ("a\n---\nb\n", "a\n---\nb"),
        ("a\r\nb\r\n", "a\r\nb\r"),
    ],
)
def test_the_text_is_kept_byte_for_byte_but_for_the_last_line_break(body: str, text: str) -> None:
    assert parse_contract(f"---\ntitle: T\nfamily: qwen3\n---\n{body}", name="mine").text == text


def test_values_are_texts_whatever_yaml_makes_of_them() -> None:
    contract = parse_contract(front("variables: {a: yes, b: 007, c: 2026-01-01, d: null, e: }"), name="mine")
    assert contract.variables == {"a": "yes", "b": "007", "c": "2026-01-01", "d": "null", "e": ""}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "contract 'mine', line 1: no front matter (begin with '---', title, family, '---')"),
        ("You are…", "contract 'mine', line 1: no front matter"),
        ("---\ntitle: T\n", "contract 'mine', line 3: the front matter does not end (add a line '---')"),
        ("---\n---\nText", "contract 'mine', line 2: the front matter is empty"),
        ("---\n- a\n---\n", "contract 'mine', line 2: not a mapping"),
        (
            "---\ntitle: T\n---\n",
            "contract 'mine', front matter: 'family' is missing (add a line `family: …`)",
        ),
        ("---\nfamily: qwen3\n---\n", "contract 'mine', front matter: 'title' is missing"),
        (
            "---\ntitle: a: b\nfamily: qwen3\n---\n",
            "contract 'mine', line 2: front matter is not YAML: mapping",
        ),
        ("---\ntitle: \x00\n---\n", "contract 'mine', line 2: front matter is not YAML: "),
        (front("nope: x"), "contract 'mine', line 4: unknown key 'nope' (use name, title, family, "),
        (front("title: x"), "contract 'mine', line 4: 'title' stands there twice (remove one)"),
        (front("description: [a]"), "contract 'mine', line 4: description is not a text"),
        (front("variables: [a]"), "contract 'mine', line 4: not a mapping"),
        (front("variables:\n  a b: x"), "contract 'mine', line 5: 'a b' cannot name a variable"),
        (
            front("variables:\n  tools: x"),
            "contract 'mine', line 5: variable 'tools' is filled by the workbench",
        ),
        (front("variables:\n  a: [1]"), "contract 'mine', line 5: variable 'a' is not a text"),
        (
            front("name: other"),
            "contract 'mine', front matter: it names itself 'other' (write `name: mine` or",
        ),
        (
            "---\ntitle: T\nfamily: gpt\n---\n",
            "contract 'mine', front matter: unknown family 'gpt' (use one of hermes-3, ",
        ),
    ],
)
def test_what_cannot_be_used_is_told_with_its_place_and_what_to_do(text: str, told: str) -> None:
    assert refused(text).startswith(told)


def contract(**changes: object) -> Contract:
    fields: dict[str, object] = {"name": "n", "title": "T", "family": "qwen3", "text": "x", **changes}
    return Contract(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes", [{"name": "other"}, {"title": "other"}, {"description": "other"}, {"first_line": 9}]
)
def test_the_fingerprint_does_not_see_what_no_model_sees(changes: dict[str, object]) -> None:
    assert contract(**changes).fingerprint == contract().fingerprint


@pytest.mark.parametrize("changes", [{"family": "qwen2.5"}, {"text": "y"}, {"variables": {"a": "b"}}])
def test_the_fingerprint_sees_what_a_model_sees(changes: dict[str, object]) -> None:
    assert contract(**changes).fingerprint != contract().fingerprint


def test_the_fingerprint_ignores_the_order_of_variables() -> None:
    one, other = contract(variables={"a": "1", "b": "2"}), contract(variables={"b": "2", "a": "1"})
    assert one.fingerprint == other.fingerprint


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True).filter(lambda name: name != "tools")
CONTRACTS = st.builds(
    Contract,
    name=st.text(min_size=1),
    title=st.text(min_size=1),
    family=st.sampled_from(sorted(FAMILIES)),
    description=st.text(),
    variables=st.dictionaries(NAMES, st.text(), max_size=3),
    text=st.text() | st.sampled_from(["---", "\n", "a\n---\n", "\r\n"]),
)


@settings(deadline=None)
@given(CONTRACTS)
def test_any_contract_survives_being_written_and_read(contract: Contract) -> None:
    read = parse_contract(render_contract(contract), name=contract.name)
    assert read == contract
    assert list(read.variables) == list(contract.variables)


@settings(deadline=None)
@given(st.text() | st.text().map(lambda text: f"---\n{text}\n---\n{text}"))
def test_any_text_is_a_contract_or_bad_input(text: str) -> None:
    try:
        parse_contract(text, name="mine")
    except BadInput as error:
        assert error.where.startswith("contract 'mine'")
