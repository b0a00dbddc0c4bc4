"""Every code has a table of texts, and each text is read as the table says."""

from typing import Any

import pytest

from tests.hermes.fixes import json_structure, json_text, reading, schema, shape, tags, xml_form
from tests.hermes.laws import assert_fixed_text_is_read_strictly, assert_spans_are_correct
from tests.hermes.readings import TOOLS
from workbench.hermes.codes import BY_WORD, CODES, CodeArea, CodeKind
from workbench.hermes.parse import fixed, parse

TABLES = {
    code: table
    for module in (json_text, json_structure, shape, tags, xml_form, reading, schema)
    for code, table in module.TABLES.items()
}
NOOP = [
    pytest.param(code, text, id=f"{code}-{index}")
    for code, table in TABLES.items()
    for index, text in enumerate(table.noop)
]
ROWS = [
    pytest.param(code, *row, id=f"{code}-{index}")
    for code, table in TABLES.items()
    for index, row in enumerate(table.rows)
]


def options_of(code: str) -> dict[str, Any]:
    return {"tools": TOOLS, "level": "tolerant", "dialect": "auto", **TABLES[code].options}


def is_fix(code: str) -> bool:
    return code in BY_WORD and BY_WORD[code].kind is CodeKind.FIX


def test_every_code_has_a_table() -> None:
    expected = {
        code.word for code in CODES if code.kind is not CodeKind.LINT and code.area is not CodeArea.GENERATION
    } - {"schema-…"}
    assert expected <= TABLES.keys()
    assert TABLES.keys() - expected == {"schema-enum"}, "an example of the keywords that are not listed"
    for code, table in TABLES.items():
        assert len(table.noop) >= 2, code
        assert len(table.rows) >= 2, code


@pytest.mark.parametrize(("code", "text"), NOOP)
def test_a_similar_correct_text_does_not_get_the_code(code: str, text: str) -> None:
    reading = parse(text, **options_of(code))
    assert code not in {entry.code for entry in (*reading.fixes, *reading.findings)}
    assert_spans_are_correct(reading)


@pytest.mark.parametrize(("code", "text", "after"), ROWS)
def test_a_faulty_text_gets_the_code(code: str, text: str, after: str) -> None:
    reading = parse(text, **options_of(code))
    if is_fix(code):
        assert code in {fix.code for fix in reading.fixes}
        assert fixed(text, reading) == after
    else:
        spans = [finding.span for finding in reading.findings if finding.code == code]
        assert [span.of(text) for span in spans if span] == [after]
    assert_spans_are_correct(reading)
    assert_fixed_text_is_read_strictly(reading, options_of(code))


@pytest.mark.parametrize(("code", "text", "after"), [row for row in ROWS if is_fix(str(row.values[0]))])
def test_the_strict_level_rejects_the_text_and_reads_it_once_fixed(code: str, text: str, after: str) -> None:
    strict = {**options_of(code), "level": "strict"}
    again = parse(after, **strict)
    assert code not in {finding.code for finding in again.findings}
    if options_of(code)["level"] == "tolerant":
        rejected = parse(text, **strict)
        assert code in {finding.code for finding in rejected.findings}
        assert rejected.fixes == ()
