"""What is in a row comes out of every conversion, or its loss is reported by name and place."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties import examples
from tests.trajectory.writing.keyed_rows import KeyedRow, keyed_row
from workbench.chat.json_value import JsonObject
from workbench.trajectory.formats.known import FORMATS, WRITTEN
from workbench.trajectory.mask import is_counted
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Prose, Result, RowMessage
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import ConversionChange, RowOptions

SOURCES = [name for name in WRITTEN if name != "raw"]


def codes(fields: Any, form: str) -> set[str]:
    return {finding.code for finding in check_completely(FORMATS[form].read(fields)).findings}


def texts_of(message: RowMessage) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, Prose | Result))


def assert_nothing_is_silent(
    row: KeyedRow, written_row: JsonObject, changes: Sequence[ConversionChange], to: str
) -> None:
    """Assert that all that was planted in a row is in the written one or among the changes."""
    written = json.dumps(written_row, ensure_ascii=False)
    losses = [change for change in changes if change.is_loss]
    lost = {(str(loss.code), loss.detail) for loss in losses}
    lost_codes = {code for code, _ in lost}
    assert all(loss.entry is not None for loss in losses if loss.code in ("entry-keys", "loss-mask"))
    for token, name in row.entries.items():
        is_dropped = "rejected" in lost_codes or ("entry-keys", name) in lost
        assert f'"{token}"' in written or is_dropped, name
    for token, name in row.columns.items():
        assert f'"{token}"' in written or ("column", name) in lost, name
    for token, name in row.calls.items():
        assert f'"{token}"' in written or ("call-members", f"{name!r} of 'f'") in lost, name
    back = read_trajectory(FORMATS[to].read(written_row)).trajectory
    for message in back.messages + back.rejected:
        for text, is_trained in row.masks.items():
            if text in texts_of(message) and "loss-mask" not in lost_codes:
                assert is_counted(message) is is_trained, text


@pytest.mark.parametrize("form", SOURCES)
@settings(max_examples=examples(100, few=12), deadline=None)
@given(random=st.randoms(use_true_random=False))
def test_unknown_keys_and_masks_come_out_or_are_reported(form: str, random: Random) -> None:
    row = keyed_row(random, form)
    before = codes(row.fields, form)
    for to in WRITTEN:
        done = convert_row(row.fields, FORMATS[form], FORMATS[to], RowOptions(label=True))
        if done.row is None:
            assert done.problems
            continue
        assert_nothing_is_silent(row, done.row, done.changes, to)
        assert codes(done.row, to) <= before


@pytest.mark.parametrize("to", ["openai", "sharegpt", "trl", "raw", "llamafactory", "kto"])
@pytest.mark.parametrize("form", SOURCES)
def test_most_rows_are_converted(form: str, to: str) -> None:
    """The property above would also hold if every row was refused."""
    rows = [keyed_row(Random(seed), form).fields for seed in range(20)]
    done = [convert_row(row, FORMATS[form], FORMATS[to], RowOptions(label=True)) for row in rows]
    assert sum(converted.row is not None for converted in done) >= 15
