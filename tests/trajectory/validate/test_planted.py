"""Rows are generated with one planted defect each, in every format that can write it; each is found at its place.

Clean rows around them have no findings. `make test` checks 4,000 rows, and `make test-all` 20,000 others.
"""

import json
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import pytest

from tests.trajectory.validate.planted_kinds import KINDS
from tests.trajectory.validate.planted_rows import FORMS, Place, Row, clean_row
from workbench.library.datasets.file_lines import FileLine
from workbench.library.datasets.row_files import format_of_row, parse_line
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.check import CheckOptions, RowsCheck


class Expected(NamedTuple):
    """A finding that is expected: code, index of the entry and pointer."""

    code: str
    entry: int | None
    pointer: str


def planted_rows(count: int, seed: int) -> Iterator[tuple[str, Row, Expected | None]]:
    """Rows with their kind: nine of ten are clean."""
    random = Random(seed)
    kinds = [(kind, form) for kind in KINDS for form in FORMS]
    for number in range(count):
        kind, form = kinds[number // 10 % len(kinds)]
        row = clean_row(random, number, form)
        if number % 10:
            yield "clean", row, None
            continue
        code, plant = KINDS[kind]
        place = Place(form, row)
        start = place.start
        found = plant(place, random)
        if found is None:
            yield "clean", row, None
            continue
        offset, pointer = found
        yield f"{kind} in {form}", row, Expected(code, None if offset is None else start + offset, pointer)


def check_planted(count: int, seed: int) -> None:
    check = RowsCheck(options=CheckOptions(finds_near=False))
    wrong: list[object] = []
    for number, (kind, row, expected) in enumerate(planted_rows(count, seed), start=1):
        formed = format_of_row(parse_line(FileLine(number, json.dumps(row).encode())), "auto")
        assert not isinstance(formed, RowFinding), (kind, row)
        found = [Expected(item.code, item.entry, item.pointer) for item in check.check_as(*formed)]
        if found != ([] if expected is None else [expected]):
            wrong.append((kind, found, expected))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.slow
def test_each_kind_of_defect_is_found_at_its_place_in_each_format() -> None:
    count = 4_000
    assert count >= len(KINDS) * len(FORMS) * 10, "each kind is planted in each form"
    check_planted(count, seed=1)


@pytest.mark.long
def test_twenty_thousand_rows_with_planted_defects() -> None:
    check_planted(20_000, seed=2)
