"""Contract files are parsed and written: front matter and text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.contract.contract import Contract, parse_contract, render_contract
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES

FILE = """---
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


def error_of(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse_contract(text, name="mine")
    return str(caught.value)


def front(lines: str) -> str:
    return f"---\ntitle: T\nfamily: hermes-lines\n{lines}\n---\nText\n"


def test_a_file_with_every_field_is_parsed() -> None:
    assert parse_contract(FILE, name="mine") == Contract(
        name="mine",
        title="My contract",
        family="hermes-lines",
        description="For trying.",
        variables={"persona": "a helper", "limit": "3"},
        text="You are {{ persona }}.\n\n{{ tools }}",
    )


def test_a_contract_knows_the_line_at_which_its_text_begins() -> None:
    assert parse_contract(FILE, name="mine").first_line == 10


def test_title_and_family_are_enough_and_the_name_is_that_of_the_file() -> None:
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
def test_the_text_is_read_byte_for_byte_except_for_the_last_line_break(body: str, text: str) -> None:
    assert parse_contract(f"---\ntitle: T\nfamily: qwen3\n---\n{body}", name="mine").text == text


def test_values_that_yaml_would_convert_stay_texts() -> None:
    contract = parse_contract(front("variables: {a: yes, b: 007, c: 2026-01-01, d: null, e: }"), name="mine")
    assert contract.variables == {"a": "yes", "b": "007", "c": "2026-01-01", "d": "null", "e": ""}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "contract 'mine', line 1: no front matter (start the file with '---', `title: …`, `family: …`"),
        ("You are…", "contract 'mine', line 1: no front matter"),
        ("---\ntitle: T\n", "contract 'mine', line 3: the front matter is not closed (add a line '---')"),
        ("---\n---\nText", "contract 'mine', line 2: the front matter is empty"),
        ("---\n- a\n---\n", "contract 'mine', line 2: not a mapping"),
        (
            "---\ntitle: T\n---\n",
            "contract 'mine', front matter: 'family' is missing (add a line `family: …`)",
        ),
        ("---\nfamily: qwen3\n---\n", "contract 'mine', front matter: 'title' is missing"),
        (
            "---\ntitle: a: b\nfamily: qwen3\n---\n",
            "contract 'mine', line 2: the front matter is not valid YAML: mapping",
        ),
        ("---\ntitle: \x00\n---\n", "contract 'mine', line 2: the front matter is not valid YAML: "),
        (front("nope: x"), "contract 'mine', line 4: unknown key 'nope' (use name, title, family, "),
        (front("famili: x"), "contract 'mine', line 4: unknown key 'famili' (did you mean 'family'?)"),
        (
            "---\ntitle: T\nfamily: hermes3\n---\n",
            "contract 'mine', front matter: unknown family 'hermes3' (did you mean 'hermes-3'?)",
        ),
        (front("title: x"), "contract 'mine', line 4: 'title' occurs twice (remove one)"),
        (front("description: [a]"), "contract 'mine', line 4: description is not a text"),
        (front("variables: [a]"), "contract 'mine', line 4: not a mapping"),
        (front("variables:\n  a b: x"), "contract 'mine', line 5: 'a b' is not a valid variable name"),
        (
            front("variables:\n  tools: x"),
            "contract 'mine', line 5: variable 'tools' is filled in by the workbench",
        ),
        (front("variables:\n  a: [1]"), "contract 'mine', line 5: variable 'a' is not a text"),
        (
            front("name: other"),
            "contract 'mine', front matter: its name is 'other', not 'mine' (write `name: mine` or",
        ),
        (
            "---\ntitle: T\nfamily: gpt\n---\n",
            "contract 'mine', front matter: unknown family 'gpt' (use one of hermes-3, ",
        ),
    ],
)
def test_an_error_names_the_line_and_what_to_do(text: str, message: str) -> None:
    assert error_of(text).startswith(message)


def contract(**changes: object) -> Contract:
    fields: dict[str, object] = {"name": "n", "title": "T", "family": "qwen3", "text": "x", **changes}
    return Contract(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes", [{"name": "other"}, {"title": "other"}, {"description": "other"}, {"first_line": 9}]
)
def test_the_fingerprint_ignores_fields_that_no_model_sees(changes: dict[str, object]) -> None:
    assert contract(**changes).fingerprint == contract().fingerprint


@pytest.mark.parametrize("changes", [{"family": "qwen2.5"}, {"text": "y"}, {"variables": {"a": "b"}}])
def test_the_fingerprint_covers_the_fields_that_a_model_sees(changes: dict[str, object]) -> None:
    assert contract(**changes).fingerprint != contract().fingerprint


def test_the_fingerprint_ignores_the_order_of_variables() -> None:
    first, second = contract(variables={"a": "1", "b": "2"}), contract(variables={"b": "2", "a": "1"})
    assert first.fingerprint == second.fingerprint


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
def test_any_contract_is_the_same_after_writing_and_parsing(contract: Contract) -> None:
    parsed = parse_contract(render_contract(contract), name=contract.name)
    assert parsed == contract
    assert list(parsed.variables) == list(contract.variables)


@settings(deadline=None)
@given(st.text() | st.text().map(lambda text: f"---\n{text}\n---\n{text}"))
def test_any_text_is_either_a_contract_or_bad_input(text: str) -> None:
    try:
        parse_contract(text, name="mine")
    except BadInput as error:
        assert error.where.startswith("contract 'mine'")
