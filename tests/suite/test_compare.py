"""Comparisons of two runs, and reports of a run."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.store.runs.examples import PLAN, RESULT
from workbench.suite.card import score_card
from workbench.suite.compare import CaseChange, compare
from workbench.suite.plan import Arm, RunPlan
from workbench.suite.reports.charts import ChartKind, report_charts
from workbench.suite.reports.html import report_html
from workbench.suite.reports.markdown import comparison_markdown, report_junit, report_markdown
from workbench.suite.reports.report import report_json, report_of
from workbench.suite.reports.tables import card_table
from workbench.suite.result import CaseMeasures, CaseStatus, result_document, result_value

NASTY = "<script>alert(1)</script> | ]]> \x1b \ufffe"


def results(statuses, arm="short", tokens=100):
    return [
        replace(
            RESULT, key=f"{arm}{number}", case_id=str(number), arm=arm, status=CaseStatus(status),
            measures=CaseMeasures(prompt_tokens=tokens, seconds=1.0),
        )
        for number, status in enumerate(statuses)
    ]  # fmt: skip


def test_cases_that_broke_come_first_then_cases_that_were_fixed():
    before = results(["passed", "failed", "passed", "failed", "error"])
    after = results(["passed", "passed", "failed", "failed", "passed"])
    found = compare(before, after)
    assert [pair.change for pair in found.pairs] == [
        CaseChange.BROKE, CaseChange.FIXED, CaseChange.FAILS, CaseChange.PASSES, CaseChange.UNKNOWN,
    ]  # fmt: skip
    assert (found.broke, found.fixed, found.compared, found.p) == (1, 1, 4, 1.0)
    assert found.pairs[0].before.is_passed and not found.pairs[0].after.is_passed


def test_a_difference_in_many_cases_is_significant():
    found = compare(results(["failed"] * 10), results(["passed"] * 10))
    assert found.is_significant
    assert found.p == pytest.approx(2 / 2**10)


def test_runs_with_one_arm_each_are_paired_whatever_their_labels():
    assert compare(results(["passed"], arm="a"), results(["failed"], arm="b")).broke == 1
    both = [*results(["passed"], arm="a"), *results(["passed"], arm="b")]
    assert compare(both, results(["failed"], arm="b")).broke == 1


def test_the_effect_of_a_part_is_reported_in_cases_and_tokens():
    base = PLAN.arms[0]
    without = replace(base, label="short − ¶1", left_out="¶1", left_out_of="short")
    plan = replace(PLAN, arms=(base, without))
    found = [
        *results(["passed", "passed", "failed"]),
        *results(["failed", "passed", "passed"], arm="short − ¶1", tokens=60),
    ]
    [worth] = report_of("r", "t", "done", plan, found).worths
    assert (worth.of, worth.change, worth.lost, worth.gained, worth.saved_tokens) == ("short", "¶1", 1, 1, 40)


def test_an_ablated_arm_does_not_count_for_the_pass_rate():
    base = PLAN.arms[0]
    plan = RunPlan(
        cases=PLAN.cases, arms=(base, replace(base, label="x", left_out="¶1", left_out_of="short"))
    )
    report = report_of("r", "t", "done", plan, [*results(["passed"]), *results(["failed"], arm="x")])
    assert report.pass_rate == 1.0


@pytest.fixture
def nasty():
    arm = Arm(label=f"arm {NASTY}", contract_name="c", contract_text="", model="m")
    found = [
        replace(
            result, arm=arm.label, said=NASTY, answer=NASTY, calls_told=NASTY, error=NASTY, session_id="s<1>"
        )
        for result in results(["failed", "error"])
    ]
    return report_of("r", NASTY, "done", RunPlan(cases=PLAN.cases, arms=(arm,)), found)


def test_the_text_of_a_model_is_escaped_in_every_report(nasty):
    html = report_html(nasty)
    # The scripts of the report, and nothing that a text brought.
    assert [part.partition(">")[0] for part in html.split("<script")[1:]] == [
        ' type="application/json" id="charts"',
        "",
    ]
    assert "&lt;script&gt;" in html
    tree = ElementTree.fromstring(report_junit(nasty))
    assert {case.get("name") for case in tree.iter("testcase")} == {"0", "1"}
    assert len(list(tree.iter("error"))) == 1
    markdown = report_markdown(nasty)
    assert "<script" not in markdown.split("\n", 1)[1]
    widths = {line.count(" | ") for line in markdown.splitlines() if line.startswith("| s/")}
    assert len(widths) <= 2


def test_a_comparison_is_written_as_markdown():
    text = comparison_markdown(compare(results(["passed"]), results(["failed"])), before="a", after="b")
    assert text.startswith("# a → b\n\n1 broke, 0 fixed, 1 compared")
    assert "| broke  | s/0" in text


def test_unknown_tokens_are_in_no_mean_no_front_and_no_chart():
    base = PLAN.arms[0]
    plan = replace(PLAN, arms=tuple(replace(base, label=label) for label in ("dear", "cheap", "silent")))
    found = [
        *results(["passed"], arm="dear", tokens=90),
        *results(["passed"], arm="cheap", tokens=40),
        *results(["passed"], arm="silent", tokens=None),
    ]
    report = report_of("r", "t", "done", plan, found)
    assert report.front == ("cheap",)
    row = card_table(report).rows[2]
    assert row[card_table(report).head.index("prompt tokens")] == "–"
    [points] = [chart for chart in report_charts(report) if chart.kind is ChartKind.POINTS]
    assert [mark.x for mark in points.marks] == [90, 40]
    assert report_json(report)["cards"][2]["prompt_tokens"] is None
    assert compare(found[:1], found[2:]).prompt_tokens == (90, None)
    assert "silent" in report_markdown(report) and "silent" in report_html(report)


def test_a_mean_is_of_the_repetitions_that_are_known():
    found = [*results(["passed"], tokens=40), *results(["passed"], tokens=None)]
    assert score_card("short", found).prompt_tokens == 40


def test_a_result_of_an_older_release_with_no_prompt_tokens_was_not_counted():
    old = results(["passed"], tokens=0)[0]
    assert result_value(result_document(old)).measures.prompt_tokens is None
