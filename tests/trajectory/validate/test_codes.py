"""The reference page of the validator's codes says what the table says, and every code can come up."""

import re
from pathlib import Path

from tests.trajectory.validate.test_rules import DEFECTS
from workbench.trajectory.validate.codes import ROW_CODES, CodeScope

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "row-codes.md"
OF_THE_LINE = {"unreadable-row", "unknown-format"}
"""Told before there is a row; see test_rows_check."""


def test_the_page_has_a_section_for_each_code() -> None:
    sections = re.findall(r"^## (\S+)\n\n\*(\w+)\.\* (.+)\.$", PAGE.read_text(encoding="utf-8"), re.M)
    *known, schema = sections
    assert schema[0] == "schema-…"
    assert [(word, kind.lower(), meaning[0].lower() + meaning[1:]) for word, kind, meaning in known] == [
        (code.word, code.severity.value, code.meaning[0].lower() + code.meaning[1:]) for code in ROW_CODES
    ]


def test_each_code_of_a_row_has_a_defect_among_the_tests() -> None:
    tested = {code for code, _, _, _ in DEFECTS} | OF_THE_LINE
    assert {code.word for code in ROW_CODES if code.scope is CodeScope.ROW} <= tested
