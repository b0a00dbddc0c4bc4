"""A report as JUnit XML, as build servers read it.

*Source:* the schema that Jenkins' xUnit plugin takes (`junit-10.xsd`).
"""

import re
from typing import Final
from xml.etree import ElementTree

from workbench.suite.card import ScoreCard
from workbench.suite.reports.report import LOCAL_PAGE, Report, rollout_url
from workbench.suite.result import CaseResult, Status

_NO_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report_junit(report: Report, *, page_url: str = LOCAL_PAGE) -> str:
    """One `testsuite` an arm, one `testcase` a play, which says where its rollout is."""
    root = ElementTree.Element("testsuites", name=_text(report.title))
    for card in report.cards:
        root.append(_suite(card, [one for one in report.results if one.arm == card.arm], page_url))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(card: ScoreCard, results: list[CaseResult], page_url: str) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        name=_text(card.arm),
        tests=str(card.plays),
        failures=str(card.failed),
        errors=str(card.errors),
        time=f"{card.seconds:.3f}",
    )
    suite.extend(_case(one, page_url) for one in results)
    return suite


def _case(result: CaseResult, page_url: str) -> ElementTree.Element:
    name = result.case_id + (f" [{result.repetition}]" if result.repetition else "")
    seconds = f"{result.measures.seconds:.3f}"
    case = ElementTree.Element("testcase", classname=_text(result.suite), name=_text(name), time=seconds)
    if result.status is Status.FAILED:
        failure = ElementTree.SubElement(case, "failure", message=_text(result.reason))
        failure.text = _text(
            "\n".join(f"{one.kind}: {one.reason}" for one in result.outcomes if not one.holds)
        )
    elif result.status is Status.ERROR:
        ElementTree.SubElement(case, "error", message=_text(result.error))
    told = [result.calls_told, result.answer, rollout_url(result, page_url)]
    ElementTree.SubElement(case, "system-out").text = _text("\n".join(filter(None, told)))
    return case


def _text(text: str) -> str:
    """The text without characters that XML has no place for."""
    return _NO_XML.sub("\ufffd", text)
