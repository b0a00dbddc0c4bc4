"""Runs and comparisons can use the draft of a contract, and store the text that they used."""

from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.comparisons.planning import ColumnRequest, compare_question
from workbench.app.runs.casting import measured, version_of
from workbench.app.runs.drafts import (
    contract_choices,
    left_out_note,
    read_drafts,
    with_pinned_contract,
)
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.records.versions import NewVersion, VersionKind, hash_of
from workbench.ui.present.compare.board import show_board
from workbench.ui.tabs.compare.watching import read_comparison


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        yield services


@pytest.fixture
def draft(services):
    return services.contract_version("minimal").text + "\nBe brief.\n"


def test_a_run_of_a_draft_keeps_its_text_and_is_not_filed_under_the_saved_version(services, draft):
    request = RunRequest(
        suites=("nonsense",), contracts=("minimal", "minimal@draft"), drafts={"minimal@draft": draft}, limit=1
    )
    stored = begin_run(services, plan_run(services, request, [load_suite(services, "nonsense")]))
    list(execute_run(services, stored, is_cancelled=lambda: False))
    saved, used = find_run(services, stored.id).plan.arms
    assert (saved.label, used.label) == ("minimal", "minimal · draft")
    assert used.contract_text == draft and "Be brief." not in saved.contract_text
    found = measured(services, "minimal")
    assert {version_of(arm) in found.numbers for arm in found.arms} == {True, False}


def test_a_column_of_a_comparison_says_that_it_used_a_draft_and_which(services, draft):
    columns = [ColumnRequest(contract="minimal", model=services.settings.model)]
    columns.append(replace(columns[0], contract="minimal@draft", draft=draft))
    stored = compare_question(services, "Cairo?", (), services.setup_for(), columns)
    used = stored.comparison.columns[1]
    assert (used.setup.contract_name, used.setup.contract_text) == ("minimal", draft)
    heads = show_board(read_comparison(services, stored)).heads
    assert heads[0].contract.startswith("minimal · ")
    assert heads[1].contract == f"minimal · draft · {hash_of(draft)[:4]}"


def test_drafts_of_the_browser_are_choices_and_leaving_one_out_is_reported(services):
    drafts = read_drafts('{"minimal": "text", "new one": "other"}')
    choices = contract_choices(services, drafts)
    assert choices.index(("minimal · draft", "minimal@draft")) == choices.index(("minimal", "minimal")) + 1
    assert ("new one · draft", "new one@draft") in choices
    assert "without your draft of 'minimal'" in left_out_note(["minimal"], drafts)
    assert left_out_note(["minimal@draft", "full"], drafts) == ""
    assert left_out_note(["minimal", "minimal@draft"], drafts) == ""
    assert read_drafts("[1") == read_drafts("[]") == read_drafts("") == {}


def test_a_setup_is_named_after_what_its_text_is(services, draft):
    setup = services.setup_for()
    own = setup.contract_name
    assert with_pinned_contract(services, setup) == setup
    assert with_pinned_contract(services, replace(setup, contract_text=draft)).contract_name == f"{own}@draft"
    services.versions.save(NewVersion(kind=VersionKind.CONTRACT, name=own, text=draft))
    assert with_pinned_contract(services, setup).contract_name == f"{own}@1"
