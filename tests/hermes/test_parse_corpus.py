"""Every row of the corpus is read exactly as expected. Codes are compared as multisets."""

import pytest

from tests.hermes.laws import (
    assert_fixed_text_is_read_strictly,
    assert_spans_are_correct,
    assert_statuses_are_correct,
    assert_strict_is_tolerant_without_fixes,
)
from tests.hermes.readings import Row, calls_of, is_clean, parse_options, read, rows
from workbench.hermes.codes import CODES, CodeArea, CodeKind
from workbench.hermes.reading import CallStatus

ROWS = rows()
by_id = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])


@by_id
def test_a_row_is_read_as_the_corpus_expects(row: Row) -> None:
    reading = read(row)
    calls = [
        [call.name, call.arguments] for call in reading.calls if call.status is not CallStatus.UNKNOWN_TOOL
    ]
    assert calls == row["calls"]
    assert sorted(fix.code for fix in reading.fixes) == sorted(row["fixes"])
    assert sorted(finding.code for finding in reading.findings) == sorted(row["findings"])
    if "visible" in row:
        assert [text.strip() for text in reading.prose if text.strip()] == row["visible"]


@by_id
def test_spans_are_correct_and_edits_do_not_overlap(row: Row) -> None:
    reading = read(row)
    assert_spans_are_correct(reading)
    assert_statuses_are_correct(reading)


@by_id
def test_the_strict_level_uses_no_fix_and_reports_the_same_codes(row: Row) -> None:
    assert_strict_is_tolerant_without_fixes(read(row), parse_options(row))


@by_id
def test_the_strict_level_reads_the_same_calls_after_applying_the_fixes(row: Row) -> None:
    assert_fixed_text_is_read_strictly(read(row), parse_options(row))


@pytest.mark.parametrize("row", [row for row in ROWS if is_clean(row)], ids=lambda row: row["id"])
def test_a_clean_row_is_read_identically_at_the_strict_level(row: Row) -> None:
    strict, tolerant = read(row, level="strict"), read(row)
    assert strict == tolerant


@pytest.mark.parametrize("row", [row for row in ROWS if is_clean(row)], ids=lambda row: row["id"])
def test_a_truncated_clean_row_never_gives_a_different_call(row: Row) -> None:
    whole = calls_of(read(row))
    for size in range(len(row["text"])):
        for reason in ("stop", "length"):
            cut = calls_of(read(row, text=row["text"][:size], finish_reason=reason))
            assert cut == whole[: len(cut)], size


def test_every_code_occurs_in_the_corpus() -> None:
    seen = {code for row in ROWS for code in (*row["fixes"], *row["findings"])} | {"foreign-call"}
    """`foreign-call` has its rows in dialects.jsonl."""
    lists = (CodeKind.FIX, CodeKind.FINDING)
    of_readings = (code for code in CODES if code.area is not CodeArea.GENERATION)
    listed = {code.word for code in of_readings if code.kind in lists} - {
        "schema-…",
        "schema-invalid",
        "schema-too-costly",
    }
    assert listed - seen == set()
    assert {code for code in seen if not code.startswith("schema-")} <= listed
