"""Every report links each repetition to its stored rollout."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.store.runs.examples import PLAN, RESULT
from workbench.suite.reports.html import report_html
from workbench.suite.reports.markdown import report_junit, report_markdown
from workbench.suite.reports.report import report_json, report_of
from workbench.suite.reports.tables import matrix_table
from workbench.suite.result import CaseStatus

PAGE = "http://10.0.0.7:9000"


def report(*arms):
    """Return a report of these arms, each with a case that passed and one that failed."""
    results = [
        replace(RESULT, key=f"{arm.label}{case}", arm=arm.label, case_id=case, status=status, session_id=f"{arm.label} {case}")
        for arm in arms
        for case, status in (("a", CaseStatus.PASSED), ("b", CaseStatus.FAILED))
    ]  # fmt: skip
    return report_of("r", "t", "done", replace(PLAN, arms=arms), results)


@pytest.mark.parametrize("form", [report_html, report_junit, report_markdown, report_json])
def test_each_repetition_links_to_its_stored_rollout(form):
    written = form(report(PLAN.arms[0]), page_url=PAGE)
    text = written if isinstance(written, str) else json.dumps(written)
    for case in "ab":
        assert f"{PAGE}/?session=short%20{case}" in text


def test_a_result_without_a_rollout_has_no_link():
    summary = report_of("r", "t", "done", PLAN, [replace(RESULT, session_id=None)])
    assert report_json(summary)["results"][0]["rollout"] is None
    assert "session=" not in report_html(summary) + report_markdown(summary) + report_junit(summary)
    assert list(ElementTree.fromstring(report_junit(summary)).iter("failure"))


def test_several_contracts_and_models_are_reported_as_a_matrix():
    base = PLAN.arms[0]
    arms = [
        replace(base, label=f"{contract}{model}{choice}", contract_name=contract, model=model, tool_choice=choice)
        for contract in ("one", "two")
        for model in ("m", "n")
        for choice in ("auto", "none")
    ]  # fmt: skip
    varied = replace(base, label="varied", left_out="¶1", left_out_of="onemauto")
    table = matrix_table(report(*arms, varied))
    assert table.head == ("contract", "m", "n")
    assert table.rows == (("one", "50 % (2/4)", "50 % (2/4)"), ("two", "50 % (2/4)", "50 % (2/4)"))
    assert "Contracts × models" in report_markdown(report(*arms))
    assert "Contracts × models" in report_html(report(*arms))


def test_there_is_no_matrix_for_a_single_model():
    assert matrix_table(report(PLAN.arms[0])) is None
