"""A receipt that is made while rows are written says the same as one that is made from the files."""

import json

import pytest

from tests.library.datasets.odd_rows import NINE, odd_lines
from tests.library.datasets.test_exporting import bring, export, gold_rows, write
from tests.library.datasets.test_trainable_exports import openai
from tests.records.corpus.sessions import CALL, TOOL, talk
from tests.services import services_for
from workbench.library.datasets.receipts import ReceiptMaker
from workbench.trajectory.formats.known import FORMATS, WRITTEN
from workbench.trajectory.sets.split import RowSplit

pytestmark = pytest.mark.slow


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, _):
        yield services


def of_files(form, *files):
    maker = ReceiptMaker(form)
    for file in files:
        list(maker.add(str(file)))
    maker.finish()
    return maker


def assert_is_of_files(summary, form, *files):
    """Compare the summary of an export with a receipt made from its files."""
    maker = of_files(form, *files)
    assert summary.issues == maker.counts.issues
    if maker.counts.errors:
        assert summary.receipt is None
    else:
        assert {**summary.receipt, "export": {}} == {**maker.receipt(), "export": {}}


FILE_NAMES = ("out.jsonl", "out.jsonl.gz", "out.parquet")
FORMS = [name for name in WRITTEN if FORMATS[name].log is None]
SOME = ("sharegpt", "openai", "dpo")
"""Formats of text, of objects and of pairs: `make test` writes all kinds of files in these."""


@pytest.mark.parametrize(
    ("form", "name"),
    [
        pytest.param(form, name, marks=() if form in SOME or name == "out.jsonl" else pytest.mark.long)
        for form in FORMS
        for name in FILE_NAMES
    ],
)
def test_of_valid_rows(services, tmp_path, form, name):
    rows = list(gold_rows(form, each=5))
    bring(services, write(tmp_path / "rows.jsonl", *rows, {**rows[0], "note": "again"}), form)
    summary = export(services, tmp_path / name, format=form)
    assert summary.receipt["rows"] == len(rows) + 1
    assert summary.issues["duplicate-row"]
    assert_is_of_files(summary, form, tmp_path / name)


@pytest.mark.parametrize("form", NINE)
def test_of_rows_with_errors(services, tmp_path, form):
    (tmp_path / "rows.jsonl").write_bytes(b"".join(odd_lines(form, 30, broken=0.5)))
    bring(services, tmp_path / "rows.jsonl", form)
    for options in ({"is_raw": True}, {"skips": True}):
        summary = export(services, tmp_path / "out.jsonl", format=form, **options)
        assert_is_of_files(summary, form, tmp_path / "out.jsonl")


def test_of_splits_that_share_rows(services, tmp_path):
    for number in range(30):
        call = CALL.replace('"Rome"}', '"Rome",}') if number % 2 else CALL
        talk(services, call=call, answer=f"Answer {number // 3}.", question=f"Question {number // 5}?")
    split = RowSplit(shares={"train": 0.4, "validation": 0.2, "test": 0.4}, seed=1)
    for form in ("sharegpt", "trl"):
        summary = export(services, tmp_path / form, split=split, format=form)
        files = [tmp_path / form / f"{name}.jsonl" for name in split.shares if summary.splits[name]]
        assert len(files) > 1
        assert_is_of_files(summary, form, *files)


def test_of_rows_that_are_written_again_with_arguments_as_text(services, tmp_path):
    free = json.loads(json.dumps(TOOL))
    free["function"]["parameters"] = {"type": "object", "properties": {"city": {}}}
    rows = [openai({"city": "Rome"}), openai({"city": 7}, tools=[free]), openai({"city": "Oslo"})]
    bring(services, write(tmp_path / "rows.jsonl", *rows))
    summary = export(services, tmp_path / "out.jsonl", format="trl")
    assert summary.receipt["rows"] == 3
    assert_is_of_files(summary, "trl", tmp_path / "out.jsonl")
