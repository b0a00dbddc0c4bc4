"""A data set is read once; its rows are then read by their place, whatever kind of file it is."""

import gzip
import json
from collections import Counter, deque
from contextlib import ExitStack, closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.trajectory.validate.rows import OPENAI, PARIS, SHAREGPT, changed
from workbench.errors import BadInput
from workbench.library.datasets.checking import FilesCheck
from workbench.library.datasets.file_row import FileRow
from workbench.library.datasets.opened_rows import OpenedRows
from workbench.trajectory.sets.row_index import MarkKind, RowFilter, RowMark

WRONG = changed(SHAREGPT, "conversations", 2, "value", to=PARIS.replace('"days": 2', '"days": 0'))
ROWS = [
    {**SHAREGPT, "id": "a"},
    {**OPENAI, "id": "b", "note": "Café “x”\nsecond line"},
    {**WRONG, "id": "c"},
    {"no": "row"},
    {**SHAREGPT, "id": "a"},
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
TWICE = json.dumps(OPENAI).replace("{", '{"id": "x", "id": "y", ', 1)


@pytest.fixture
def opened():
    """Opens files, which are closed at the end."""
    with ExitStack() as stack:

        def open_rows(path, *, finds_near=True, **options):
            rows = stack.enter_context(closing(OpenedRows(name=path.name, finds_near=finds_near)))
            deque(rows.read_file(str(path), **options), maxlen=0)
            rows.finish()
            return rows

        yield open_rows


def test_findings_are_those_of_check(tmp_path, opened):
    (tmp_path / "rows.jsonl").write_text(LINES + TWICE + "\n{oops\n")
    rows = opened(tmp_path / "rows.jsonl")
    checked = Counter(
        found.finding.code for found in FilesCheck(files=[str(tmp_path / "rows.jsonl")]).findings()
    )
    assert rows.codes == checked
    assert (rows.stats.rows, rows.stats.unreadable) == (5, 2)
    assert rows.index.counts(MarkKind.FORMAT) == {("sharegpt",): 3, ("openai",): 2}
    assert "duplicate-key" in {finding.code for finding in rows.open_row(5).findings}
    assert "not JSON" in rows.open_row(6).findings[0].message
    assert [finding.code for finding in rows.open_row(4).findings] == ["duplicate-row"]
    assert rows.open_row(4).findings[0].message.endswith("row 1")
    assert "unknown-format" in {finding.code for finding in rows.open_row(3).findings}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("lines.jsonl", LINES.encode()),
        ("blank-lines.jsonl", b"\n" + LINES.replace("\n", "\n\n").encode()),
        ("marked.jsonl", b"\xef\xbb\xbf" + LINES.rstrip("\n").encode()),
        ("packed.jsonl.gz", gzip.compress(LINES.encode(), mtime=0)),
        ("array.json", json.dumps(ROWS, indent=1).encode()),
    ],
)
def test_a_row_is_read_again_as_it_was(tmp_path, name, data, opened):
    (tmp_path / name).write_bytes(data)
    rows = opened(tmp_path / name)
    assert [rows.open_row(place).fields for place in (4, 0, 2, 1, 3)] == [ROWS[p] for p in (4, 0, 2, 1, 3)]
    first = 2 if name.startswith("blank") else 1
    assert rows.open_row(0).number == first
    rows.close()
    with pytest.raises(BadInput, match="not open any more"):
        rows.open_row(0)


def test_odd_rows_of_an_array_are_read_again(tmp_path, opened):
    (tmp_path / "rows.json").write_text('[{"messages": [], "n": NaN}, 7, {"messages": []}]')
    rows = opened(tmp_path / "rows.json")
    assert str(rows.open_row(0).fields["n"]) == "nan"
    assert rows.open_row(1).findings[0].message == "not a JSON object"
    assert rows.open_row(2).fields == {"messages": []}


def test_rows_of_parquet_are_read_again(tmp_path, opened):
    pq.write_table(
        pa.Table.from_pylist([{"text": "<|im_start|>user\nHi<|im_end|>\n"}] * 3), tmp_path / "r.parquet"
    )
    rows = opened(tmp_path / "r.parquet")
    assert rows.open_row(2).fields == {"text": "<|im_start|>user\nHi<|im_end|>\n"}


def test_near_duplicates_can_be_found_later(tmp_path, opened):
    question = " ".join(f"word{number}" for number in range(90))
    near = [
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "It rains."}]}
        for text in (question, question.upper(), "Hi.")
    ]
    rows = "".join(json.dumps(row) + "\n" for row in (*near, *near[:1]))
    path = tmp_path / "rows.jsonl"
    path.write_text(LINES + TWICE + "\n{oops\n" + rows)
    whole, later = opened(path), opened(path, finds_near=False)
    assert whole.codes["near-duplicate-row"] == 1
    assert later.codes == whole.codes - Counter({"near-duplicate-row": 1})
    shares = list(later.find_near())
    assert shares == sorted(shares) and shares[-1] == 1
    assert later.codes == whole.codes
    places = range(len(whole.index))
    assert [later.open_row(place) for place in places] == [whole.open_row(place) for place in places]
    near_rows = RowFilter(marks=(RowMark(MarkKind.FINDING, ("near-duplicate-row",)),))
    assert later.index.matching(near_rows).tolist() == whole.index.matching(near_rows).tolist() == [8]


def test_a_text_is_found_as_a_person_reads_it(tmp_path, opened):
    (tmp_path / "rows.jsonl").write_text(LINES)
    rows = opened(tmp_path / "rows.jsonl")

    def places(text):
        found: list[int] = []
        shares = list(rows.search(rows.index.all_rows, text, found))
        assert shares[-1] == 1
        return found

    assert places("CAFÉ") == places("“x”\nsecond") == [1]
    assert places('"days": 0') == [2]
    assert places("days") == [0, 1, 2, 4]
    assert places("nobody wrote this") == []


def test_a_file_that_was_changed_is_refused_and_the_first_rows_can_be_enough(tmp_path, opened):
    path = tmp_path / "rows.jsonl"
    path.write_text(LINES)
    rows = opened(path, most_rows=2)
    assert (len(rows.index), rows.is_part) == (2, True)
    with path.open("a") as file:
        file.write(LINES)
    with pytest.raises(BadInput, match="changed since it was opened"):
        rows.open_row(0)


def test_a_file_that_is_not_there_is_named(opened):
    with pytest.raises(BadInput, match="/nowhere/rows"):
        opened(Path("/nowhere/rows.jsonl"))


def test_rows_that_are_in_no_file_keep_their_link():
    with closing(OpenedRows(name="Stored sessions")) as rows:
        rows.add(FileRow(1, SHAREGPT), "?session=1")
        rows.add(FileRow(2, OPENAI, line=json.dumps(OPENAI).encode()), "?session=2")
        rows.finish()
        again = [rows.open_row(place) for place in (1, 0)]
    assert [(row.fields, row.link) for row in again] == [(OPENAI, "?session=2"), (SHAREGPT, "?session=1")]
