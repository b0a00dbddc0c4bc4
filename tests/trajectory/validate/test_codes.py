"""The reference page of the validator's codes matches the table, its examples are true, and every code is tested."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.trajectory.validate.test_rules import DEFECTS
from workbench.library.datasets.file_lines import FileLine
from workbench.library.datasets.row_files import parse_line, read_row
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.check import RowsCheck
from workbench.trajectory.validate.codes import ROW_CODES, CodeScope

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "row-codes.md"
TEXT = PAGE.read_text(encoding="utf-8")
WITHOUT_ROW = {"unreadable-row", "unknown-format"}
"""Reported before there is a row; see test_check."""
ELSEWHERE = {"arguments-not-text", "same-answers", "no-answer", "result-name-mismatch", "duplicate-call-id"}
"""Tested in test_missed."""
SECTIONS = {part.partition("\n")[0]: part for part in TEXT.split("\n## ")[1:]}
EXAMPLE = re.compile(r"Before:\n\n```\w+\n(.*?)\n```\n\nAfter:\n\n```json\n(.*?)\n```", re.S)
EXAMPLES = {name: match for name, part in SECTIONS.items() if (match := EXAMPLE.search(part))}


def split_rows(text: str) -> Iterator[str]:
    """Yield each JSON value of a code block as one line; text that is not JSON as it is."""
    position = 0
    while position < len(text):
        try:
            value, end = json.JSONDecoder().raw_decode(text, position)
        except ValueError:
            yield text[position:]
            return
        yield json.dumps(value)
        position = end + 1


def codes_of(text: str, read_as: str = "auto") -> set[str]:
    """Check the rows of a code block and return the codes of all findings."""
    check = RowsCheck()
    findings: list[RowFinding] = []
    for number, line in enumerate(split_rows(text), start=1):
        row: Any = read_row(parse_line(FileLine(number, line.encode())), read_as)
        findings.extend([row] if isinstance(row, RowFinding) else check.check(row))
    codes = {finding.code for finding in findings}
    return codes | {duplicate.code for duplicate in check.duplicates([check.rows])}


def test_the_page_has_a_section_for_each_code() -> None:
    sections = re.findall(r"^## (\S+)\n\n\*(\w+)\.\* (.+)\.$", TEXT, re.M)
    *known, schema = sections
    assert schema[0] == "schema-…"
    assert [(word, kind.lower(), meaning[0].lower() + meaning[1:]) for word, kind, meaning in known] == [
        (code.word, code.severity.value, code.meaning[0].lower() + code.meaning[1:]) for code in ROW_CODES
    ]


def test_each_section_says_why_and_how_to_fix_it() -> None:
    for name, section in SECTIONS.items():
        assert "**Why:** " in section and "**Fix:** " in section, name
        assert "Before" in section or name == "schema-…", name


def test_each_code_of_a_row_has_an_example() -> None:
    assert {code.word for code in ROW_CODES if code.scope is CodeScope.ROW} <= EXAMPLES.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_before_has_the_code_and_the_example_after_has_none(name: str) -> None:
    before, after = EXAMPLES[name].groups()
    expected = {"schema-unknown-argument"} if name == "schema-…" else {name}
    read_as = "openai" if name == "arguments-not-text" else "auto"
    assert codes_of(before, read_as) == expected
    assert codes_of(after, read_as) == set()


def test_each_code_of_a_row_has_a_defect_among_the_tests() -> None:
    tested = {code for code, _, _, _ in DEFECTS} | WITHOUT_ROW | ELSEWHERE
    assert {code.word for code in ROW_CODES if code.scope is CodeScope.ROW} <= tested
