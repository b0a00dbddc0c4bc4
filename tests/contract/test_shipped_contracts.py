"""The contracts that ship with the workbench."""

from pathlib import Path

import pytest

from tests.hermes.corpus_rows import ROWS, Row, offered, row_id
from workbench.chat.message import Conversation, Message, Role
from workbench.contract.compose import compose
from workbench.contract.contract import Contract, parse_contract, render_contract
from workbench.hermes.render import render
from workbench.toolspec.spec import OfferedTools, ToolSpec

CONTRACTS = Path(__file__).parents[2] / "prompts" / "contracts"
NAMES = sorted(path.stem for path in CONTRACTS.glob("*.md"))
ONE_TOOL = OfferedTools(specs=(ToolSpec.of_function({"name": "now"}),))


def shipped(name: str) -> Contract:
    return parse_contract((CONTRACTS / f"{name}.md").read_text(encoding="utf-8"), name=name)


def test_three_contracts_are_shipped() -> None:
    assert {"minimal", "full", "hermes-3"} <= set(NAMES)


@pytest.mark.parametrize("row", [row for row in ROWS if row["family"] == "hermes-3"], ids=row_id)
def test_hermes_3_composes_to_the_first_system_turn_of_its_template(row: Row) -> None:
    first_turn = row["prompt"].partition("<|im_end|>")[0]
    text = compose(shipped("hermes-3"), offered(row), variables={"date": "2026-11-21"})
    assert f"<|im_start|>system\n{text}" == first_turn


def test_minimal_has_at_most_640_characters_before_the_tools() -> None:
    assert len(shipped("minimal").text.partition("{{ tools }}")[0]) <= 640


def test_full_has_about_2200_characters() -> None:
    assert 2000 <= len(shipped("full").text) <= 2400


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_contract_composes_and_shows_its_tools(name: str) -> None:
    text = compose(shipped(name), ONE_TOOL, variables={"date": "2026-11-21"})
    assert '"now"' in text
    assert "{{" not in text


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_contract_is_the_same_after_writing_and_parsing(name: str) -> None:
    assert parse_contract(render_contract(shipped(name)), name=name) == shipped(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_contract_adds_no_special_token_to_the_prompt(name: str) -> None:
    text = compose(shipped(name), ONE_TOOL, variables={"date": "2026-11-21"})
    system = Message(role=Role.SYSTEM, text=text)
    prompt = render(Conversation(messages=(system,)), family=shipped(name).family, has_contract=True)
    assert prompt.findings == ()
    assert prompt.text == f"<|im_start|>system\n{text}<|im_end|>\n<|im_start|>assistant\n"
