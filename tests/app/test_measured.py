"""What was measured of a contract's versions in runs and sessions."""

import json

import pytest

from tests.services import services_for
from workbench.app.runs.casting import measured, version_of
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.version_names import rename_name
from workbench.records.versions import NewVersion, VersionKind
from workbench.suite.read_suite import parse_suite
from workbench.ui.present.measures import show_measures

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
FIXED = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo",}}\n</tool_call>'
LOST = "<tool_call>\nnonsense\n</tool_call>"
CONTRACT = """---
title: T
family: hermes-lines
---
Call tools.

<tools>
{{ tools }}
</tools>

Be brief.
"""


def run_suite(services, *, contract, is_ablation=False, cases=1):
    entries = [
        {"id": str(number), "prompt": "p", "expect": [{"calls": [{"name": "get_flumbuster"}]}]}
        for number in range(cases)
    ]
    document = {"suite": "s", "defaults": {"tools": ["nonsense"], "max_rounds": 1}, "cases": entries}
    suite = parse_suite(json.dumps(document), name="s")
    request = RunRequest(suites=("s",), contracts=(contract,), is_ablation=is_ablation)
    stored = begin_run(services, plan_run(services, request, [suite]))
    for _ in execute_run(services, stored, is_cancelled=lambda: False):
        pass
    return stored


def save(services, text, name="own"):
    return services.versions.save(NewVersion(kind=VersionKind.CONTRACT, name=name, text=text))


def test_runs_and_completions_are_grouped_by_version(tmp_path):
    with services_for(tmp_path, CALL, FIXED, LOST) as (services, say):
        first, second = save(services, CONTRACT), save(services, CONTRACT + "More.\n")
        run_suite(services, contract="own@1")
        run_suite(services, contract="own")
        say("a session", contract_name="own", contract_text=second.text, max_rounds=1)
        run_suite(services, contract="minimal")
        found = measured(services, "own")
        assert found.numbers == {first.text_hash: 1, second.text_hash: 2}
        assert [version_of(results) for results in found.arms] == [second.text_hash, first.text_hash]
        days = {day.contract_version: (day.completions, day.fixed, day.dropped) for day in found.days}
        assert days == {first.text_hash: (1, 0, 0), second.text_hash: (2, 1, 1)}
        assert found.ablation is None
        view = show_measures(found)
    assert [row[0].split(" · ")[0] for row in view.cards.rows] == ["v2", "v1"]
    assert [row[1] for row in view.cards.rows] == ["1/1", "1/1"]
    assert [shown.chart.title for shown in view.charts] == [
        "Pass rate",
        "Completions with fixes",
        "Completions with dropped calls",
    ]
    repairs = {mark.series.split(" · ")[0]: mark for mark in view.charts[1].chart.marks}
    assert (repairs["v1"].y, repairs["v2"].y) == (0.0, 0.5)
    assert "50 % (1 of 2)" in repairs["v2"].label


@pytest.mark.parametrize(
    ("cases", "verdict", "tone", "significance"),
    [(2, "may help", "odd", "p = 0.500, not significant"), (6, "helps", "clean", "p = 0.031")],
)
def test_each_part_is_shown_with_its_gain(tmp_path, cases, verdict, tone, significance):
    # With the whole contract all cases pass, without ¶1 all fail, without ¶3 all pass.
    with services_for(tmp_path, *[CALL] * cases, *["no"] * cases, *[CALL] * cases) as (services, _):
        save(services, CONTRACT)
        run_suite(services, contract="own", is_ablation=True, cases=cases)
        found = measured(services, "own")
        assert [results.arm.label for results in found.arms] == ["own"]
        view = show_measures(found)
    texts = ["".join(piece.text for piece in part.pieces) for part in view.parts]
    assert texts == ["Call tools.", "<tools>\n{{ tools }}\n</tools>", "Be brief."]
    assert [part.verdict for part in view.parts] == [verdict, "", "no effect"]
    assert f"without it, {cases} cases broke and 0 started to pass; costs" in view.parts[0].detail
    assert view.parts[0].detail.endswith(significance)
    assert view.parts[0].tone == tone
    assert view.parts_note.startswith("v1 on scripted:")


def test_a_contract_that_was_never_used_has_no_measurements(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        found = measured(services, "minimal")
    assert (found.arms, found.days, found.ablation) == ((), (), None)
    assert show_measures(found).cards is None


def test_measurements_follow_a_contract_that_is_renamed(tmp_path):
    with services_for(tmp_path, CALL, CALL) as (services, _):
        save(services, CONTRACT)
        before = run_suite(services, contract="own")
        renamed = rename_name(services, VersionKind.CONTRACT, "own", "new")
        # Another contract takes the old name. It is measured separately.
        save(services, CONTRACT + "Another.\n")
        other = run_suite(services, contract="own")
        found = measured(services, "new")
        assert found.numbers == {renamed.text_hash: 1}
        assert [results.run_id for results in found.arms] == [before.id]
        assert other.id not in {results.run_id for results in found.arms}
