"""Rows of files: the first bytes determine the kind of file, and a bad line is a row with a problem."""

import gzip
import io
import json
import re
import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import datasets
import pyarrow
import pytest
from pyarrow import parquet

from workbench.errors import BadInput
from workbench.library.datasets.row_files import read_row, read_rows
from workbench.library.datasets.row_writer import open_writer
from workbench.trajectory.formats.known import AUTO

ROWS = [{"messages": [{"role": "user", "content": "é漢 " * number}], "n": number} for number in range(5)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def fields(path):
    return [row.fields for row in read_rows(str(path))]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("lines.jsonl", LINES.encode()),
        ("no-end.jsonl", LINES.rstrip("\n").encode()),
        ("marked.jsonl", b"\xef\xbb\xbf" + LINES.encode()),
        ("windows.jsonl", LINES.replace("\n", "\r\n").encode()),
        ("packed.jsonl.gz", gzip.compress(LINES.encode(), mtime=0)),
        ("packed-without-its-name", gzip.compress(LINES.encode(), mtime=0)),
        ("array.json", json.dumps(ROWS, indent=2, ensure_ascii=False).encode()),
        ("array.json.gz", gzip.compress(json.dumps(ROWS).encode(), mtime=0)),
        ("objects.json", "\n".join(json.dumps(row, indent=2) for row in ROWS).encode()),
        (
            "objects-windows.json",
            "".join(json.dumps(row, indent="\t") + "\r\n" for row in ROWS).replace("\n", "\r\n").encode(),
        ),
        (
            "objects.json.gz",
            gzip.compress(
                b"\xef\xbb\xbf" + "\n".join(json.dumps(row, indent=1) for row in ROWS).encode(), mtime=0
            ),
        ),
    ],
)
def test_rows_are_read_whatever_the_file_is_called(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    assert fields(tmp_path / name) == ROWS


@pytest.mark.parametrize("end", [b"", b"\n", b" \r\n"])
def test_a_file_of_only_a_byte_order_mark_has_no_rows(tmp_path, end):
    (tmp_path / "empty.jsonl").write_bytes(b"\xef\xbb\xbf" + end)
    assert fields(tmp_path / "empty.jsonl") == []


def test_rows_come_from_standard_input(monkeypatch):
    class Input:
        buffer = io.BytesIO(LINES.encode())

    monkeypatch.setattr(sys, "stdin", Input)
    assert [row.fields for row in read_rows("-")] == ROWS


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{oops}", "not JSON: .* at column 2"),
        (b'"a"', "not a JSON object"),
        (b"\xff{}", "not UTF-8 at byte 0"),
        (b"[" * 100_000, "not JSON"),
        (b'{"n": ' + b"1" * 5000 + b"}", "not JSON"),
    ],
)
def test_a_bad_line_is_reported_with_its_number_and_the_others_are_read(tmp_path, line, problem):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}\n\n' + line + b'\n{"b": 2}\n')
    first, bad, last = read_rows(str(path))
    assert (first.number, bad.number, last.number) == (1, 3, 4)
    assert bad.fields is None
    assert re.match(problem, bad.problem), bad.problem
    assert read_row(bad, AUTO).code == "unreadable-row"


def test_a_broken_object_on_several_lines_is_one_problem(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(ROWS[0], indent=2) + "\n" + json.dumps(ROWS[1], indent=2)[:-3])
    first, second = read_rows(str(path))
    assert (first.fields, second.number) == (ROWS[0], 2)
    assert second.problem == "the file is not valid JSON from here on"


def test_a_broken_array_gives_the_rows_before_the_error(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text('[{"a": 1}, 7, {"b": ')
    rows = list(read_rows(str(path)))
    assert [row.fields for row in rows] == [{"a": 1}, None, None]
    assert "not valid JSON from here on" in rows[2].problem


def test_a_big_array_is_read_row_by_row(tmp_path):
    path = tmp_path / "rows.json"
    big = [{"text": "x" * 700_000, "n": number} for number in range(6)]
    path.write_text(json.dumps(big))
    assert [row.fields["n"] for row in read_rows(str(path))] == list(range(6))


def test_a_missing_or_truncated_file_is_reported_in_one_line(tmp_path):
    with pytest.raises(BadInput, match="No such file"):
        list(read_rows(str(tmp_path / "none.jsonl")))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(LINES.encode() * 1000)[:-20])
    with pytest.raises(BadInput, match="is cut off"):
        list(read_rows(str(tmp_path / "cut.gz")))
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(BadInput, match="Parquet"):
        list(read_rows(str(tmp_path / "cut.parquet")))


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_written_rows_are_read_back_and_have_the_same_bytes_each_time(tmp_path, name):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        with open_writer(str(tmp_path / folder / name)) as write:
            for row in [*ROWS, {"half": "\ud800", "big": 2**80}]:
                write(row)
    assert fields(tmp_path / "one" / name) == [*ROWS, {"half": "\ud800", "big": 2**80}]
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert len(list((tmp_path / "one").iterdir())) == 1


def test_a_file_appears_only_when_it_is_complete(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt), open_writer(str(path)) as write:
        write(ROWS[0])
        raise KeyboardInterrupt
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_missing_folder_is_reported_in_one_line(tmp_path):
    with (
        pytest.raises(BadInput, match="does its folder exist"),
        open_writer(str(tmp_path / "no" / "rows.jsonl")),
    ):
        pass


def test_parquet_preserves_values_and_omits_nulls(tmp_path):
    path = tmp_path / "rows.parquet"
    rows = [
        {"conversations": [{"from": "human", "value": "q"}], "tools": "[]", "n": 1, "flag": True, "x": 0.5},
        {
            "conversations": [{"from": "gpt", "value": "a", "weight": 0}],
            "tools": "[]",
            "n": 2,
            "meta": {"a": [1]},
        },
        {"conversations": [], "tools": "[]", "big": 2**70, "mixed": 1},
        {"conversations": [], "tools": "[]", "mixed": "one"},
    ]
    with open_writer(str(path)) as write:
        for row in rows:
            write(row)
    read = fields(path)
    assert read[0] == {**rows[0], "conversations": [{"from": "human", "value": "q", "weight": None}]}
    assert read[1]["meta"] == {"a": [1]}
    assert read[2]["big"] == str(2**70)
    assert [row.get("mixed") for row in read] == [None, None, 1, "one"]


@pytest.mark.parametrize(
    "values", [[1, 1.5], [1, True], [{"a": 1}, {"b": [1.5]}], [2**53 + 1, 0.5], [[1], ["a"]]]
)
def test_values_of_a_column_of_parquet_are_the_same_for_datasets_too(tmp_path, values):
    path = tmp_path / "rows.parquet"
    with open_writer(str(path)) as write:
        for value in values:
            write({"x": value})
    loaded = datasets.load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(tmp_path))
    assert [row["x"] for row in fields(path)] == list(loaded["x"]) == values


@pytest.mark.parametrize(
    "value",
    [
        datetime(2024, 1, 1),
        date(2024, 1, 1),
        Decimal("1.5"),
        b"x",
        timedelta(1),
        [{"at": time(1)}],
        {"bytes": b""},
    ],
    ids=repr,
)
def test_a_column_of_parquet_that_json_cannot_hold_is_named(tmp_path, value):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.table({"messages": ["[]"], "c": [value]}), path)
    with pytest.raises(BadInput, match="column 'c' has values of the type"):
        list(read_rows(str(path)))
    kind = pyarrow.map_(pyarrow.string(), pyarrow.int64())
    parquet.write_table(pyarrow.table({"c": pyarrow.array([[("k", 1)]], kind)}), path)
    with pytest.raises(BadInput, match="of the type map<string, int64"):
        list(read_rows(str(path)))


@pytest.mark.parametrize(
    "row", [{"text": "\ud800"}, {"\ud800": 1}, {"messages": [{"\ud800": 1}]}, {"a": {"\ud800": 1}}], ids=ascii
)
def test_a_lone_surrogate_cannot_be_written_to_parquet(tmp_path, row):
    with pytest.raises(BadInput, match="surrogate"), open_writer(str(tmp_path / "rows.parquet")) as write:
        write(row)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [",]", ", \n]\n", f",{' ' * (1 << 21)}]"], ids=["short", "lines", "long"])
def test_a_comma_after_the_last_row_of_an_array_is_found(tmp_path, end):
    (tmp_path / "a.json").write_text(f"[{json.dumps(ROWS[0])}{end}")
    first, second = read_rows(str(tmp_path / "a.json"))
    assert first.fields == ROWS[0] and "a comma after its last row" in second.problem


def test_a_byte_order_mark_is_read_only_at_the_start_of_a_file(tmp_path):
    line = b"\xef\xbb\xbf" + json.dumps(ROWS[0]).encode()
    (tmp_path / "a.jsonl").write_bytes(line + b"\n" + line + b"\n")
    first, second = read_rows(str(tmp_path / "a.jsonl"))
    assert first.fields == ROWS[0] and "byte order mark" in second.problem
