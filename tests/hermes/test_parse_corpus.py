"""Every row of the corpus, exactly; codes as multisets."""

import pytest

from tests.hermes.laws import (
    assert_fixed_reads_strictly,
    assert_spans_hold,
    assert_statuses_hold,
    assert_strict_is_tolerant_without_fixes,
)
from tests.hermes.readings import Row, calls_of, is_clean, read, rows, terms
from workbench.hermes.codes import CODES, CodeArea, CodeKind
from workbench.hermes.reading import CallStatus

ROWS = rows()
by_id = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])


@by_id
def test_a_row_is_read_as_the_corpus_says(row: Row) -> None:
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
def test_spans_hold_and_edits_do_not_overlap(row: Row) -> None:
    reading = read(row)
    assert_spans_hold(reading)
    assert_statuses_hold(reading)


@by_id
def test_strict_uses_no_fix_and_names_the_same_codes(row: Row) -> None:
    assert_strict_is_tolerant_without_fixes(read(row), terms(row))


@by_id
def test_fixes_applied_read_strictly_the_same(row: Row) -> None:
    assert_fixed_reads_strictly(read(row), terms(row))


@pytest.mark.parametrize("row", [row for row in ROWS if is_clean(row)], ids=lambda row: row["id"])
def test_a_clean_row_reads_identically_in_strict(row: Row) -> None:
    strict, tolerant = read(row, level="strict"), read(row)
    assert strict == tolerant


@pytest.mark.parametrize("row", [row for row in ROWS if is_clean(row)], ids=lambda row: row["id"])
def test_cutting_a_clean_row_anywhere_never_gives_another_call(row: Row) -> None:
    whole = calls_of(read(row))
    for size in range(len(row["text"])):
        for reason in ("stop", "length"):
            cut = calls_of(read(row, text=row["text"][:size], finish_reason=reason))
            assert cut == whole[: len(cut)], size


def test_every_code_stands_in_a_row() -> None:
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
