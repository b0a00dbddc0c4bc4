"""A report as Markdown and as JUnit XML."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree import ElementTree

from workbench.suite.card import ScoreCard
from workbench.suite.compare import RunComparison
from workbench.suite.reports.report import LOCAL_PAGE, RunReport, rollout_url
from workbench.suite.reports.tables import (
    NONE,
    Table,
    card_table,
    change_table,
    comparison_line,
    failure_table,
    matrix_table,
    plays_of,
    worth_table,
)
from workbench.suite.result import CaseResult, CaseStatus

_NO_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report_junit(report: RunReport, *, page_url: str = LOCAL_PAGE) -> str:
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
    if result.status is CaseStatus.FAILED:
        failure = ElementTree.SubElement(case, "failure", message=_text(result.reason))
        failure.text = _text(
            "\n".join(f"{one.kind}: {one.reason}" for one in result.outcomes if not one.holds)
        )
    elif result.status is CaseStatus.ERROR:
        ElementTree.SubElement(case, "error", message=_text(result.error))
    told = [result.calls_told, result.answer, rollout_url(result, page_url)]
    ElementTree.SubElement(case, "system-out").text = _text("\n".join(filter(None, told)))
    return case


def _text(text: str) -> str:
    """The text without characters that XML has no place for."""
    return _NO_XML.sub("\ufffd", text)


def report_markdown(report: RunReport, *, page_url: str = LOCAL_PAGE) -> str:
    """The report as a page of Markdown, each play a link to its rollout."""
    return "\n".join(_lines(report, page_url)) + "\n"


def comparison_markdown(comparison: RunComparison, *, before: str, after: str) -> str:
    """Two runs side by side, what broke first."""
    lines = [f"# {before} → {after}", "", comparison_line(comparison), ""]
    return "\n".join([*lines, table_markdown(change_table(comparison))]) + "\n"


def table_markdown(table: Table) -> str:
    """A table as Markdown, its columns in line for whoever reads it as text."""
    return _table(tuple(map(_cell, row)) for row in (table.head, *table.rows))


def table_text(table: Table) -> str:
    """The same for a terminal: nothing is escaped."""
    return _table(tuple(" ".join(cell.split()) for cell in row) for row in (table.head, *table.rows))


def _table(cells: Iterable[tuple[str, ...]]) -> str:
    rows = list(cells)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_row(row, widths) for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _lines(report: RunReport, page_url: str) -> Iterator[str]:
    done = len(report.results)
    yield f"# {report.title}"
    yield ""
    state = "" if report.state == "done" else f", {report.state}: {done} of {report.total} plays"
    yield f"Run `{report.run_id}`{state}. ● is on the front: no other arm passes as much with fewer prompt tokens."
    yield ""
    yield table_markdown(card_table(report))
    if matrix := matrix_table(report):
        yield from ("", "## Contracts × models", "", table_markdown(matrix))
    if report.worths:
        yield from ("", "## What parts are worth", "", table_markdown(worth_table(report)))
    if report.comparison:
        yield from ("", f"## Against {report.baseline}", "", comparison_line(report.comparison), "")
        yield table_markdown(change_table(report.comparison))
    yield from ("", "## Cases", "", _cases(report, page_url))
    failures = failure_table(report)
    if failures.rows:
        yield from ("", "## What did not pass", "", table_markdown(failures))


def _cases(report: RunReport, page_url: str) -> str:
    """One line a case, one column an arm, each play a link."""
    arms = [card.arm for card in report.cards]
    plays = plays_of(report.results)
    rows = [
        (
            _cell(key),
            *(" ".join(_linked(one, page_url) for one in by_arm.get(arm, ())) or NONE for arm in arms),
        )
        for key, by_arm in plays.items()
    ]
    return _table([tuple(map(_cell, ("case", *arms))), *rows])


def _linked(one: CaseResult, page_url: str) -> str:
    url = rollout_url(one, page_url)
    return f"[{one.status.value}]({url})" if url else one.status.value


def _row(row: tuple[str, ...], widths: list[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"


def _cell(text: str) -> str:
    """A text that stays in its cell."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
