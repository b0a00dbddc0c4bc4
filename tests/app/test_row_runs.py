"""A message runs over rows of variables, and the rows become a suite."""

import csv
import io
import json
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.runs.casting import measured
from workbench.app.runs.reports import report_for
from workbench.app.runs.rows import (
    RowResult,
    is_row_run,
    prepare_rows,
    row_results,
    rows_as_csv,
    rows_as_jsonl,
    save_rows,
)
from workbench.app.runs.running import begin_run, execute_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.errors import BadInput
from workbench.rollout.sampling import Sampling
from workbench.suite.compare import compare
from workbench.suite.reports.charts import report_charts
from workbench.suite.reports.markdown import report_junit, report_markdown
from workbench.suite.reports.report import report_json
from workbench.suite.reports.tables import card_table, comparison_line, failure_table
from workbench.toolspec.tools_text import render_tools
from workbench.ui.present.measures import show_measures
from workbench.ui.present.suites.run_list import show_runs

CONTRACT = """---
title: Own
family: hermes-lines
variables:
  tone: plain
---
Be {{ tone }}.
<tools>
{{ tools }}
</tools>
"""
ROWS = 'city,tone\nRome,formal\n"Oslo, ""north""",calm\n'
MESSAGE = "Weather in {{ city }}?"


@pytest.fixture
def own(tmp_path):
    with services_for(tmp_path, "Sunny.", "<tool_call>\nnonsense\n</tool_call>") as (services, _):
        yield services


def setup_of(services):
    return replace(
        services.setup_for(),
        contract_text=CONTRACT,
        tools_text=render_tools(services.tools.select(["weather", "calendar"])),
        sampling=Sampling(seed=3),
        ephemeral="Ann asks.",
    )


def ran(services, setup):
    stored = begin_run(services, prepare_rows(services, setup, MESSAGE, ROWS).plan)
    list(execute_run(services, stored, is_cancelled=lambda: False))
    return stored


def test_each_row_runs_with_the_setup_and_its_variables(own):
    setup = setup_of(own)
    stored = ran(own, setup)
    assert is_row_run(stored.plan)
    rows = row_results(stored.plan.cases, own.runs.results(stored.id))
    assert [row.message for row in rows] == ["Weather in Rome?", 'Weather in Oslo, "north"?']
    assert rows[0].result.answer == "Sunny."
    assert rows[1].result.measures.findings["invalid-json"] == 1
    session = own.sessions.find_session(rows[1].result.session_id)
    text = own.sessions.path(session.id)[0].message.text
    assert "Be calm." in text and "get_weather" in text
    assert session.setup == replace(setup, variables={"tone": "calm"}, contract_name="minimal")


def test_a_run_over_rows_has_answers_but_no_rate_interval_mark_or_test(own):
    stored = ran(own, setup_of(own))
    (listed,) = own.runs.list_runs()
    assert (listed.done, listed.checked, listed.unchecked, listed.passed) == (2, 0, 2, 0)
    report = report_for(own, find_run(own, stored.id))
    assert (report.pass_rate, report.front, report_charts(report)) == (None, (), ())
    ((_, passed, rate, interval, *_),) = card_table(report).rows
    assert (passed, rate, interval) == ("2 answers, no checks", "–", "–")
    assert "●" not in report_markdown(report) and not failure_table(report).rows
    assert report_junit(report).count("<skipped") == 2
    document = report_json(report)
    assert document["pass_rate"] is None and document["cards"][0]["interval"] is None
    comparison = compare(report.results, report.results)
    assert comparison.p is None and not comparison.is_significant
    assert "no case was checked" in comparison_line(comparison)
    shown = show_measures(measured(own, "minimal"))
    assert not [chart for chart in shown.charts if chart.chart.title == "Pass rate"]
    row = show_runs([listed], [], now=listed.created_at).rows[0]
    assert (row.result, row.share) == ("2 answers, no checks", 0.0)


def test_results_are_written_as_csv_and_json_lines(own):
    stored = ran(own, setup_of(own))
    rows = row_results(stored.plan.cases, own.runs.results(stored.id))
    lines = list(csv.DictReader(io.StringIO(rows_as_csv(rows))))
    assert [(line["city"], line["tone"], line["answer"]) for line in lines] == [
        ("Rome", "formal", "Sunny."),
        ('Oslo, "north"', "calm", ""),
    ]
    assert lines[1]["findings"] == "invalid-json"
    documents = [json.loads(line) for line in rows_as_jsonl(rows).splitlines()]
    assert documents[0]["row"] == {"city": "Rome", "tone": "formal"}
    waiting = row_results(stored.plan.cases, [])
    assert json.loads(rows_as_jsonl(waiting).splitlines()[0])["error"] == "not run"


def test_a_json_cell_is_written_to_csv_unchanged():
    row = RowResult(number=1, row={"place": {"lat": 1}, "is_north": True}, message="Where?", result=None)
    [line] = csv.DictReader(io.StringIO(rows_as_csv([row])))
    assert (line["place"], line["is_north"], line["fixes"]) == ('{"lat": 1}', "true", "")


def test_rows_are_saved_as_a_suite_that_can_run(own):
    setup = setup_of(own)
    save_rows(own, setup, MESSAGE, ROWS, name="cities")
    suite = load_suite(own, "cities")
    assert [case.variables for case in suite.cases] == [{"tone": "formal"}, {"tone": "calm"}]
    assert {case.tools for case in suite.cases} == {("weather", "calendar")}
    assert "Ann asks" not in str(suite)
    with pytest.raises(BadInput, match="suite 'cities': this name is taken"):
        save_rows(own, setup, MESSAGE, ROWS, name="cities")
    with pytest.raises(BadInput, match="not usable as a file name"):
        save_rows(own, setup, MESSAGE, ROWS, name="a/b")


def test_edited_or_disabled_tools_go_into_the_suite_as_specs(own):
    setup = replace(setup_of(own), disabled_tools=frozenset({"get_weather"}))
    [first, _] = prepare_rows(own, setup, MESSAGE, ROWS).plan.cases
    assert first.tools == ()
    names = [spec["function"]["name"] for spec in first.tool_specs]
    assert "list_events" in names and "get_weather" not in names
