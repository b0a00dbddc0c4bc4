"""What loaders refuse is found, converted or imported by nobody without a word, and does not hide other rows."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.trajectory.validate.rows import OPENAI, SHAREGPT, TRL
from workbench.library.datasets.opened_rows import OpenedRows

LINE = json.dumps(SHAREGPT)
REPEATED = LINE[:-1] + ', "source": "a", "source": "b"}'
DEFECTS = {
    "lone-surrogate": (LINE.replace("Sun in Paris", "\\ud83d"), 4, "/conversations/4/value"),
    "null-character": (LINE.replace("Sun in Paris", "\\u0000"), 4, "/conversations/4/value"),
    "non-finite-number": (LINE[:-1] + ', "score": 1e999}', None, "/score"),
    "duplicate-key": (REPEATED, None, "/source"),
}


def found_in(done: Any) -> list[tuple[Any, ...]]:
    findings = json.loads(done.out)["findings"]
    return [(item["row"], item["entry"], item["code"], item["pointer"]) for item in findings]


@pytest.mark.parametrize("code", DEFECTS)
@pytest.mark.parametrize("name", ["lines.jsonl", "array.json", "object.json"])
def test_what_loaders_refuse_is_found_in_every_kind_of_file(
    code: str, name: str, run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    line, entry, pointer = DEFECTS[code]
    texts = {"lines.jsonl": f"{LINE}\n{line}\n", "array.json": f"[{LINE},\n{line}]"}
    (tmp_path / name).write_text(texts.get(name, line.replace('"conversations": ', '"conversations":\n', 1)))
    done = run_cli("check", tmp_path / name, "--json", "--ignore", "duplicate-row")
    row = 1 if name == "object.json" else 2
    assert (done.code, found_in(done)) == (1, [(row, entry, code, pointer)])


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity", "[[1e400]]"])
def test_numbers_that_json_does_not_have_are_found_at_any_depth(
    name: str, run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(LINE[:-1] + f', "a": {{"b": {name}}}}}\n')
    assert "non-finite-number" in run_cli("check", tmp_path / "a.jsonl").out


HALF_KEYS = {
    "row": LINE[:-1] + ', "k\\ud83d": {"a": 1}}',
    "message": LINE.replace('"from": "human"', '"k\\ud83d": 1, "from": "human"', 1),
    "twice": LINE[:-1] + ', "k\\ud83d": 1, "k\\ud83d": 2}',
    "argument": json.dumps(TRL).replace('"city": "Paris"', '"k\\ud83d": "Paris"', 1),
    "tool": json.dumps(TRL).replace('"name": "get_weather"', '"name": "k\\ud83d"', 1),
}


@pytest.mark.parametrize("place", HALF_KEYS)
def test_half_of_a_surrogate_pair_in_a_name_is_escaped_in_every_report(
    place: str, run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(f"{HALF_KEYS[place]}\nnot JSON\n")
    for output_format in ("text", "json", "github", "sarif"):
        done = run_cli("check", file, "--output-format", output_format, "--ignore", "mixed-arguments")
        assert done.code == 1 and "\\ud83d" in done.out
        assert "lone-surrogate" in done.out and "unreadable-row" in done.out
    for name in ("o.jsonl", "o.parquet"):
        done = run_cli("convert", file, "--to", "trl", "--out", tmp_path / name)
        assert done.code == 1 and "0 written, 2 skipped" in done.err


def test_a_key_that_is_escaped_or_inside_an_entry_is_found_too(
    run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    escaped = LINE[:-1] + ', "a": 1, "\\u0061": 2}'
    inside = LINE.replace('{"from": "human", ', '{"from": "gpt", "from" : "human", ')
    (tmp_path / "a.jsonl").write_text(f"{escaped}\n{inside}\n")
    done = run_cli("check", tmp_path / "a.jsonl", "--json", "--ignore", "duplicate-row")
    assert found_in(done) == [
        (1, None, "duplicate-key", "/a"),
        (2, 1, "duplicate-key", "/conversations/1/from"),
    ]


def test_a_row_with_a_key_twice_is_neither_converted_nor_imported_nor_fixed(
    workbench: Callable[..., Any], tmp_path: Path
) -> None:
    file, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    file.write_text(f"{REPEATED}\n")
    done = workbench("convert", file, "--to", "trl", "--out", out)
    assert done.returncode == 1 and "the key 'source' is given twice" in done.stderr
    assert "the key 'source' is given twice" in workbench("import", file).stderr
    workbench("check", file, "--fix-out", out)
    assert out.read_text() == f"{REPEATED}\n"


def test_a_file_without_rows_is_an_error_unless_it_is_allowed(
    run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    file, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    file.write_text("\n \n")
    convert = ("convert", file, "--to", "trl", "--out", out)
    for command in (("check", file), ("receipt", file), convert):
        done = run_cli(*command)
        assert done.code == 1 and ("no rows" in done.err + done.out or "empty-file" in done.err), command
    assert not out.exists()
    for command in (("check", file), ("receipt", file), convert):
        assert run_cli(*command, "--allow-empty").code == 0, command
    assert out.read_bytes() == b""


def test_only_the_empty_one_of_several_files_is_named(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    for name, text in (("a", LINE), ("b", ""), ("c", LINE)):
        (tmp_path / f"{name}.jsonl").write_text(text)
    found = json.loads(run_cli("check", tmp_path, "--json", "--ignore", "shared-row").out)["findings"]
    assert [(Path(item["file"]).name, item["code"]) for item in found] == [("b.jsonl", "empty-file")]


def test_a_damaged_file_does_not_hide_the_others(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    packed = gzip.compress("".join(f'{LINE[:-1]}, "n": {number}}}\n' for number in range(500)).encode())
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "c.jsonl").write_text(DEFECTS["null-character"][0])
    done = run_cli("check", tmp_path, "--json", "--ignore", "duplicate", "--ignore", "shared-row")
    found = json.loads(done.out)["findings"]
    codes = [(Path(item["file"]).name, item["code"]) for item in found if item["file"] is not None]
    assert done.code == 1
    assert [code for code in codes if code[1] in ("unreadable-row", "null-character")] == [
        ("a.jsonl.gz", "unreadable-row"),
        ("b.parquet", "unreadable-row"),
        ("c.jsonl", "null-character"),
    ]


@pytest.mark.parametrize("is_one_file", [True, False])
@pytest.mark.slow
def test_a_damaged_file_does_not_hide_the_others_from_a_conversion(
    run_cli: Callable[..., Any], tmp_path: Path, *, is_one_file: bool
) -> None:
    folder, out = tmp_path / "rows", tmp_path / "out.jsonl" if is_one_file else tmp_path / "out"
    folder.mkdir()
    packed = gzip.compress("".join(f'{LINE[:-1]}, "n": {number}}}\n' for number in range(5_000)).encode())
    (folder / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    (folder / "b.parquet").write_bytes(b"PAR1 and no more")
    (folder / "c.jsonl").write_text(f"{LINE}\n")
    done = run_cli("convert", folder, "--to", "trl", "--out", out, "--json")
    summary = json.loads(done.out)
    assert done.code == 1 and summary["left_out"] == 2 and summary["problems"] == {"unreadable-row": 2}
    for name in ("a.jsonl.gz", "b.parquet"):
        assert f"{name}:" in done.err
    assert done.err.count("from here on, the file cannot be read") == 2
    written = [out] if is_one_file else sorted(out.iterdir())
    rows = [json.loads(line) for path in written for line in path.read_text().splitlines()]
    assert len(rows) == summary["written"] > 1 and "n" not in rows[-1]
    stopped = run_cli("convert", folder, "--to", "trl", "--out", tmp_path / "no.jsonl", "--stop")
    assert stopped.code == 2 and "a.jsonl.gz" in stopped.err and not (tmp_path / "no.jsonl").exists()
    assert run_cli("check", folder, "--fix-out", tmp_path / "fixed.jsonl", "--statistics").code == 1
    assert len((tmp_path / "fixed.jsonl").read_text().splitlines()) == len(rows)


def test_a_damaged_file_does_not_hide_the_others_from_an_import(
    workbench: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    long = [Random(number).randbytes(6_000).hex() for number in range(200)]
    packed = gzip.compress("".join(f'{LINE[:-1]}, "n": "{text}"}}\n' for text in long).encode())
    (folder / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    (folder / "b.parquet").write_bytes(b"PAR1 and no more")
    (folder / "c.jsonl").write_text(f"{LINE}\n")
    summary = json.loads(
        workbench("convert", folder, "--to", "trl", "--out", tmp_path / "o.jsonl", "--json").stdout
    )
    done = workbench("import", folder, "--json")
    rows = json.loads(done.stdout)
    assert done.returncode == 1 and (rows["imported"], rows["failed"]) == (summary["written"], 2)
    assert rows["rows"][-1]["file"] == str(folder / "c.jsonl") and rows["rows"][-1]["new"]
    failed = [(Path(row["file"]).name, row["row"]) for row in rows["rows"] if row["problem"]]
    assert failed == [("a.jsonl.gz", summary["written"]), ("b.parquet", 1)]
    assert done.stderr.count("from here on, the file cannot be read") == 2
    assert summary["written"] > 50 and f"\n{summary['written']} sessions imported" in done.stderr


def test_a_first_line_that_is_cut_off_does_not_hide_the_other_rows(
    run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(f"{LINE[:50]}\n{LINE[:60]}\n{LINE}\n")
    done = run_cli("check", tmp_path / "a.jsonl", "--json")
    assert [item[0] for item in found_in(done)] == [1, 2]
    assert json.loads(done.out)["summary"]["rows"] == 3


PRETTY = json.dumps(SHAREGPT, indent=2)
SPAN = PRETTY.count("\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"{LINE}\n{PRETTY}\n{LINE}\n",
            [(2, f"one JSON object over lines 2 to {SPAN + 2}; write it on one line")],
        ),
        (
            f"{LINE}\r\n{PRETTY}\r\n".replace("\r\n", "\n").replace("\n", " \r\n"),
            [(2, f"one JSON object over lines 2 to {SPAN + 2}; write it on one line")],
        ),
        (
            f"{LINE}\n\n{PRETTY}\n{PRETTY}\n{LINE}",
            [
                (3, f"one JSON object over lines 3 to {SPAN + 3}; write it on one line"),
                (SPAN + 4, f"one JSON object over lines {SPAN + 4} to {2 * SPAN + 4}; write it on one line"),
            ],
        ),
        (
            f"{LINE}\n" + PRETTY.replace("[", "[\n\n", 1) + f"\n{LINE}",
            [(2, f"one JSON object over lines 2 to {SPAN + 4}; write it on one line")],
        ),
        (
            f"{LINE}\n" + PRETTY.replace('"system"', "@", 1) + f"\n{LINE}",
            [(2, "not JSON: Expecting value at line 5, column 15")],
        ),
        (
            f"{LINE}\n{LINE[:50]}\n{PRETTY}\n{LINE}",
            [
                (2, "not JSON: Unterminated string at column 48"),
                (3, f"one JSON object over lines 3 to {SPAN + 3}; write it on one line"),
            ],
        ),
        (
            f'{LINE}\n{{"a": 1,\n{PRETTY}\n{LINE}',
            [
                (2, "not JSON: Expecting property name enclosed in double quotes at column 9"),
                (3, f"one JSON object over lines 3 to {SPAN + 3}; write it on one line"),
            ],
        ),
        (
            f'{LINE}\n{{"a": [1,\n{LINE}\n{LINE}',
            [(2, "not JSON: Expecting value at column 10")],
        ),
    ],
    ids=["one", "spaces", "two", "blank lines", "damaged", "after a cut", "after a comma", "cut in a list"],
)
def test_an_object_over_several_lines_among_rows_is_one_finding(
    text: str, expected: list[tuple[int, str]], run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_bytes(text.encode())
    done = run_cli("check", tmp_path / "a.jsonl", "--json", "--ignore", "duplicate-row")
    found = json.loads(done.out)["findings"]
    assert [(item["row"], item["message"]) for item in found] == expected
    assert {item["code"] for item in found} == {"unreadable-row"} and done.code == 1


def test_a_row_over_several_lines_is_opened_with_its_finding(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"{LINE}\n{PRETTY}\n{LINE}\n")
    opened = OpenedRows(name="a")
    list(opened.read_file(str(tmp_path / "a.jsonl")))
    messages = [[finding.message for finding in opened.open_row(place).findings] for place in range(3)]
    opened.close()
    assert messages == [[], [f"one JSON object over lines 2 to {SPAN + 2}; write it on one line"], []]


@pytest.mark.parametrize("indent", [None, 0, 1, "\t"])
def test_one_object_over_several_lines_is_one_row(
    indent: Any, run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    text = (
        json.dumps(OPENAI, indent=indent)
        .replace("{\n", "{", 1)
        .replace('"messages": [', '"messages": [\n', 1)
    )
    (tmp_path / "a.json").write_text(text)
    assert json.loads(run_cli("check", tmp_path / "a.json", "--json").out)["summary"]["rows"] == 1


def test_objects_as_arguments_are_errors_in_openai_s_format(
    run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(OPENAI)}\n{json.dumps(TRL)}\n")
    pointer = "/messages/2/tool_calls/{}/function/arguments"
    done = run_cli("check", tmp_path / "a.jsonl", "--format", "openai", "--json")
    expected = [(2, 2, "arguments-not-text", pointer.format(call)) for call in (0, 1)]
    assert (done.code, found_in(done)) == (1, expected)
    done = run_cli("check", tmp_path / "a.jsonl", "--json")
    assert (done.code, found_in(done)) == (0, [(2, 2, "mixed-arguments", pointer.format(0))])


def test_both_forms_of_arguments_in_one_row_are_found(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    mixed = json.loads(json.dumps(TRL))
    mixed["messages"][2]["tool_calls"][1]["function"]["arguments"] = '{"city": "Rome"}'
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(TRL)}\n{json.dumps(mixed)}\n")
    done = run_cli("check", tmp_path / "a.jsonl", "--json", "--ignore", "duplicate-row", "--no-near")
    assert found_in(done) == [(2, 2, "mixed-arguments", "/messages/2/tool_calls/1/function/arguments")]


def test_a_row_that_the_file_has_twice_differs_from_one_that_was_imported_before(
    workbench: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(f"{LINE}\n{json.dumps(OPENAI)}\n{LINE}\n")
    first = workbench("import", file, "--json")
    rows = json.loads(first.stdout)
    assert (rows["imported"], rows["known"], rows["repeated"]) == (2, 0, 1)
    assert [row["same_as"] for row in rows["rows"]] == [None, None, 1]
    assert f"{file}:3: the same as row 1 of this file, session " in first.stderr
    again = json.loads(workbench("import", file, "--json").stdout)
    assert (again["imported"], again["known"], again["repeated"]) == (0, 3, 0)
