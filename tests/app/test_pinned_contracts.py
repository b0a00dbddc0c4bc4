"""A reference such as `weather@1` or `weather@production` gives the same version wherever a contract is named."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.app.comparisons.comparing import column, create, run_all
from tests.services import services_for
from tests.ui.requests import page_request
from workbench.app.api.functions import ApiFunctions
from workbench.app.as_code import code_of
from workbench.app.runs.casting import measured
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import start_turn
from workbench.cli.terminal.sources import load_contract
from workbench.records.versions import NewVersion, VersionKind
from workbench.ui.present.documents import EditorsView
from workbench.ui.present.setup import SETUP_FIELDS, show_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.setup_events import SetupEvents

TEXT = "---\nname: weather\ntitle: Weather\nfamily: hermes-lines\n---\nBe {}.\n\nUse a tool.\n\n{{{{ tools }}}}\n"
REFERENCES = {"weather@1": "brief", "weather@production": "brief", "weather@2": "long", "weather": "long"}


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Services with two versions of a contract, the first of them marked as `production`."""
    with services_for(tmp_path, *["31."] * 8) as (services, _):
        first, _second = (
            services.versions.save(
                NewVersion(kind=VersionKind.CONTRACT, name="weather", text=TEXT.format(word))
            )
            for word in ("brief", "long")
        )
        services.versions.tag(first.id, "production")
        for name in ("MODEL", "DATA", "HOME"):
            value = {"MODEL": services.settings.model, "DATA": str(tmp_path / "data")}.get(
                name, str(services.settings.home)
            )
            monkeypatch.setenv(f"WORKBENCH_{name}", value)
        yield services


def in_play(services: Services, reference: str) -> str:
    """Choose the contract in Play, show its version line, and send a message with it."""
    setups = SetupEvents(services)
    editors, _ = setups.on_contract(TabState(), reference, page_request())
    assert isinstance(editors, EditorsView)
    text = editors.changes[0].text
    setup = replace(services.setup_for(), contract_name=reference, contract_text=text)
    fields = [show_setup(setup)[name] for name in SETUP_FIELDS]
    line = setups.on_texts(TabState(), reference, text, page_request(), *fields).versions
    assert line is not None and line.rows
    turn = start_turn(services, TurnRequest(setup=setup, text="Cairo?"))
    assert len(list(turn.events())) > 3
    code = code_of(services, turn.subject, setup, services.sessions.path(turn.subject), _last(services, turn))
    number = 1 if "brief" in text else 2
    assert f"--contract weather@{number}" in code.command
    return services.sessions.path(turn.subject)[0].message.text


def _last(services: Services, turn: Any) -> str:
    return services.sessions.path(turn.subject)[-1].id


def in_compare(services: Services, reference: str) -> str:
    stored, _ = run_all(services, create(services, *[column(services, contract=reference)] * 2))
    assert [answer.problem for answer in stored.answers] == ["", ""]
    return stored.comparison.columns[0].setup.contract_text


def in_a_suite_with_ablation(services: Services, reference: str) -> str:
    run_request = RunRequest(suites=("nonsense",), contracts=(reference,), limit=1, is_ablation=True)
    stored = begin_run(services, plan_run(services, run_request, [load_suite(services, "nonsense")]))
    list(execute_run(services, stored, is_cancelled=lambda: False))
    results = services.runs.results(stored.id)
    assert len(results) >= 3
    assert not [result for result in results if result.status == "error"]
    assert measured(services, reference).ablation is not None
    return stored.plan.arms[0].contract_text


def in_the_api_chat(services: Services, reference: str) -> str:
    answer = json.loads(ApiFunctions(services).chat("Cairo?", contract=reference))
    return answer["messages"][0]["content"]


def in_the_api_run(services: Services, reference: str) -> str:
    report = json.loads(ApiFunctions(services).run(["nonsense"], contracts=[reference], limit=1))
    listed = services.runs.list_runs(limit=1)[0]
    stored = services.runs.find_run(listed.id)
    assert report and stored
    return stored.plan.arms[0].contract_text


def in_the_settings(services: Services, reference: str) -> str:
    own = replace(services, settings=replace(services.settings, contract=reference))
    return own.setup_for().contract_text


def in_commands_for_training_and_templates(services: Services, reference: str) -> str:
    """`heldout`, `synth` and `template check` load it in this way."""
    contract = load_contract(reference)
    return contract.text


PLACES: dict[str, Callable[[Services, str], str]] = {
    "Play": in_play,
    "Compare": in_compare,
    "suites, ablation and Measured": in_a_suite_with_ablation,
    "API and MCP, chat": in_the_api_chat,
    "API and MCP, run": in_the_api_run,
    "the settings": in_the_settings,
    "heldout, synth, template": in_commands_for_training_and_templates,
}


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("place", PLACES)
def test_every_place_takes_a_pinned_contract(services: Services, place: str, reference: str) -> None:
    assert f"Be {REFERENCES[reference]}." in PLACES[place](services, reference)


@pytest.mark.parametrize("reference", ["weather@9", "weather@nobody"])
def test_an_unknown_version_is_an_error_that_names_it(services: Services, reference: str) -> None:
    with pytest.raises(Exception, match="it has no version"):
        services.contract_version(reference)
