"""Codes of findings, drawn as links to their paragraphs in the documentation."""

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.inspect import CallRow, CallsView, FindingRow
from workbench.ui.present.notices import NoticeLine, NoticeView

pytestmark = pytest.mark.browser


def test_a_line_of_a_notice_links_its_code(component: Component) -> None:
    lines = (
        NoticeLine(word="line 3", code="no-tools", text="the text has no tools", tone="warning"),
        NoticeLine(word="error", text="It failed."),
    )
    part = component.mount("notice", NoticeView(lines=lines))
    expect(part.get_by_role("link")).to_have_count(1)
    expect(part.get_by_role("link", name="no-tools")).to_have_attribute("href", "help/code/no-tools")
    expect(part.locator("p")).to_have_text(["line 3no-tools the text has no tools", "errorIt failed."])


def test_a_finding_of_a_call_links_its_code(component: Component) -> None:
    finding = FindingRow(code="schema-type", severity="error", message="'3' is a text", place="/days")
    call = CallRow(
        index=0,
        name="f",
        status="invalid",
        tone="error",
        arguments="{}",
        findings=(finding,),
        result=None,
        no_result="",
        is_error=False,
        note="",
        is_selected=False,
    )
    part = component.mount("calls", CallsView(calls=(call,)))
    expect(part.get_by_role("link", name="schema-type")).to_have_attribute("href", "help/code/schema-type")
