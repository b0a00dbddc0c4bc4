"""A report as Markdown and as JUnit XML."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree import ElementTree

from workbench.chat.figures import NONE
from workbench.suite.card import ScoreCard
from workbench.suite.compare import RunComparison
from workbench.suite.reports.report import LOCAL_PAGE, RunReport, rollout_url
from workbench.suite.reports.tables import (
    Table,
    card_table,
    change_table,
    comparison_line,
    conversation_table,
    failure_table,
    matrix_table,
    results_by_case,
    tag_table,
    worth_table,
)
from workbench.suite.result import CaseResult, CaseStatus

_NO_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report_junit(report: RunReport, *, page_url: str = LOCAL_PAGE) -> str:
    """Return the report as JUnit XML: a `testsuite` for each arm, a `testcase` for each repetition."""
    root = ElementTree.Element("testsuites", name=_text(report.title))
    for card in report.cards:
        results = [result for result in report.results if result.arm == card.arm]
        root.append(_suite(card, results, page_url))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(card: ScoreCard, results: list[CaseResult], page_url: str) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        name=_text(card.arm),
        tests=str(card.plays),
        failures=str(card.failed),
        errors=str(card.errors),
        skipped=str(card.unchecked + card.void),
        time=f"{card.seconds:.3f}",
    )
    suite.extend(_case(result, page_url) for result in results)
    return suite


def _case(result: CaseResult, page_url: str) -> ElementTree.Element:
    name = result.case_id + (f" [{result.repetition}]" if result.repetition else "")
    seconds = f"{result.measures.seconds:.3f}"
    case = ElementTree.Element("testcase", classname=_text(result.suite), name=_text(name), time=seconds)
    if result.status is CaseStatus.FAILED:
        failure = ElementTree.SubElement(case, "failure", message=_text(result.reason))
        failure.text = _text(
            "\n".join(f"{outcome.kind}: {outcome.reason}" for outcome in result.outcomes if not outcome.holds)
        )
    elif result.status is CaseStatus.ERROR:
        ElementTree.SubElement(case, "error", message=_text(result.error))
    elif result.status is CaseStatus.UNCHECKED:
        ElementTree.SubElement(case, "skipped", message="no checks")
    elif result.status is CaseStatus.VOID:
        ElementTree.SubElement(case, "skipped", message=_text(f"void: {result.error}"))
    output = [result.calls_told, result.answer, rollout_url(result, page_url)]
    ElementTree.SubElement(case, "system-out").text = _text("\n".join(filter(None, output)))
    return case


def _text(text: str) -> str:
    """Replace characters that are not allowed in XML."""
    return _NO_XML.sub("\ufffd", text)


def report_markdown(report: RunReport, *, page_url: str = LOCAL_PAGE) -> str:
    """Return the report as Markdown. Each repetition links to its rollout."""
    return "\n".join(_lines(report, page_url)) + "\n"


def comparison_markdown(comparison: RunComparison, *, before: str, after: str) -> str:
    """Return a comparison as Markdown.

    Args:
        before: Title of the first run.
        after: Title of the second run.
    """
    lines = [f"# {before} → {after}", "", comparison_line(comparison), ""]
    return "\n".join([*lines, table_markdown(change_table(comparison))]) + "\n"


def table_markdown(table: Table) -> str:
    """Return a table as Markdown with aligned columns."""
    return _table(tuple(map(_cell, row)) for row in (table.head, *table.rows))


def table_text(table: Table) -> str:
    """Return a table for the terminal: as Markdown, but without escapes."""
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
    state = "" if report.state == "done" else f", {report.state}: {done} of {report.total} repetitions"
    best = "● marks the best arms: no other arm passes as much with fewer prompt tokens."
    yield f"Run `{report.run_id}`{state}." + f" {best}" * bool(report.front)
    yield ""
    yield table_markdown(card_table(report))
    if (conversations := conversation_table(report)).rows:
        yield from ("", "## Conversations", "", table_markdown(conversations))
    if matrix := matrix_table(report):
        yield from ("", "## Contracts × models", "", table_markdown(matrix))
    if tags := tag_table(report):
        yield from ("", "## Tags", "", table_markdown(tags))
    if report.worths:
        yield from ("", "## Effect of each part", "", table_markdown(worth_table(report)))
    if report.comparison:
        yield from ("", f"## Compared with {report.baseline}", "", comparison_line(report.comparison), "")
        yield table_markdown(change_table(report.comparison))
    yield from ("", "## Cases", "", _cases(report, page_url))
    failures = failure_table(report)
    if failures.rows:
        yield from ("", "## Failures and errors", "", table_markdown(failures))


def _cases(report: RunReport, page_url: str) -> str:
    """Return a table with a row for each case and a column for each arm. Each repetition is a link."""
    arms = [card.arm for card in report.cards]
    rows = [
        (
            _cell(key),
            *(" ".join(_linked(result, page_url) for result in by_arm.get(arm, ())) or NONE for arm in arms),
        )
        for key, by_arm in results_by_case(report.results).items()
    ]
    return _table([tuple(map(_cell, ("case", *arms))), *rows])


def _linked(result: CaseResult, page_url: str) -> str:
    url = rollout_url(result, page_url)
    return f"[{result.status.value}]({url})" if url else result.status.value


def _row(row: tuple[str, ...], widths: list[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"


def _cell(text: str) -> str:
    """Escape a text for a cell of a Markdown table."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
