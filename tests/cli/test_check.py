"""`workbench check`: output for people and for programs."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.trajectory.validate.rows import OPENAI, SHAREGPT, changed

CALLING = SHAREGPT["conversations"][2]["value"]
BAD_CALL = changed(SHAREGPT, "conversations", 2, "value", to=CALLING.replace("2}", "2,}"))
EMPTY = changed(SHAREGPT, "conversations", 1, "value", to=" ")
NULL = changed(SHAREGPT, "conversations", 2, "value", to=CALLING.replace("2}", '2, "unit": null}'))


def asking(question: str, row: dict[str, Any] = SHAREGPT) -> dict[str, Any]:
    return changed(row, "conversations", 1, "value", to=question)


def lines(path: Path, *rows: dict[str, Any] | str) -> str:
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return str(path)


def findings(done: Any) -> list[str]:
    return done.out.splitlines()


def test_valid_rows_print_nothing_and_exit_with_0(run_cli, tmp_path):
    done = run_cli("check", lines(tmp_path / "a.jsonl", SHAREGPT, OPENAI))
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith("2 rows, no problems found\n")


def test_a_finding_is_printed_as_one_line_with_file_row_entry_code_and_pointer(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT, BAD_CALL, "{", EMPTY)
    done = run_cli("check", file, "--no-near")
    assert done.code == 1
    assert [line.split(" ")[:2] for line in findings(done)] == [
        [f"{file}:2:2:", "call-not-strict"],
        [f"{file}:3:", "unreadable-row"],
        [f"{file}:4:1:", "empty-entry"],
    ]
    assert findings(done)[0].endswith("(/conversations/2/value)")
    assert "2 rows" not in done.err
    assert "4 rows, 3 errors, 0 warnings" in done.err


def test_warnings_alone_give_exit_code_0(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", NULL)
    done = run_cli("check", file)
    assert (done.code, [line.split(" ")[1] for line in findings(done)]) == (0, ["none-filled"])
    assert run_cli("check", file, "--level", "error").out == ""


def test_json_is_one_object(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT, BAD_CALL, "[]")
    done = run_cli("check", file, "--json", "--no-near")
    assert done.code == 1
    assert json.loads(done.out) == {
        "findings": [
            {
                "file": file,
                "row": 2,
                "entry": 2,
                "code": "call-not-strict",
                "severity": "error",
                "message": "only the tolerant reader can parse it (trailing-comma); use --fix-out or correct it",
                "pointer": "/conversations/2/value",
            },
            {
                "file": file,
                "row": 3,
                "entry": None,
                "code": "unreadable-row",
                "severity": "error",
                "message": "not a JSON object",
                "pointer": "",
            },
        ],
        "summary": {
            "rows": 3,
            "errors": 2,
            "warnings": 0,
            "codes": {"call-not-strict": 1, "unreadable-row": 1},
        },
    }
    assert json.loads(run_cli("check", lines(tmp_path / "b.jsonl", SHAREGPT), "--json").out)["findings"] == []


def test_rows_that_stand_twice_name_the_first(run_cli, tmp_path):
    first = lines(tmp_path / "one.jsonl", SHAREGPT, asking("Else?"), "", SHAREGPT)
    second = lines(tmp_path / "two.jsonl", asking("Else?"), asking("Other?"))
    done = run_cli("check", first, second, "--no-near")
    assert done.code == 1
    assert findings(done) == [
        f"{first}:4: duplicate-row the same conversation as row 1",
        f"{second}:1: shared-row the same conversation as {first}:2",
    ]


def test_one_file_named_twice_shares_its_rows_with_itself(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT)
    assert "shared-row" in run_cli("check", file, file).out


def test_findings_about_all_rows_have_no_row_number(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", *(asking(f"Question {number}?") for number in range(100)))
    found = json.loads(run_cli("check", file, "--json", "--no-near").out)["findings"]
    assert [(each["file"], each["row"], each["code"]) for each in found] == [(file, None, "dominant-tool")]


@pytest.mark.slow
def test_several_processes_find_the_same_as_one(run_cli, tmp_path):
    rows = [
        BAD_CALL,
        SHAREGPT,
        "{",
        *(asking(f"What of town {number}?" * 20, OPENAI | SHAREGPT) for number in range(900)),
    ]
    first, second = lines(tmp_path / "one.jsonl", *rows), lines(tmp_path / "two.jsonl", *rows[:5])
    one_process = run_cli("check", first, second, "--json")
    two_processes = run_cli("check", first, second, "--json", "--jobs", "2")
    assert (two_processes.code, two_processes.out) == (one_process.code, one_process.out)
    assert json.loads(one_process.out)["summary"]["codes"]["shared-row"] == 4


def test_gzip_and_standard_input_are_read_too(run_cli, tmp_path):
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(BAD_CALL).encode()))
    assert findings(run_cli("check", packed))[0].startswith(f"{packed}:1:2: call-not-strict")
    assert findings(run_cli("check", "-", stdin=json.dumps(BAD_CALL)))[0].startswith("-:1:2: call-not-strict")


def test_a_format_given_by_name_is_used(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", {"text": "x"})
    assert "unknown-format" in run_cli("check", file).out
    assert "missing-field" in run_cli("check", file, "--format", "sharegpt").out


def test_safe_fixes_are_written_and_reported(run_cli, tmp_path):
    guess = changed(SHAREGPT, "conversations", 2, "value", to=CALLING.replace('"Paris"', '"Pa"ris"'))
    file, out = lines(tmp_path / "a.jsonl", SHAREGPT, BAD_CALL, "{", NULL, guess), tmp_path / "b.jsonl"
    done = run_cli("check", file, "--fix-out", out)
    assert done.code == 1
    assert (
        "4 rows written, 2 of them fixed (call-not-strict 1, none-filled 1); 1 unreadable row skipped"
        in done.err
    )
    assert [json.loads(line) for line in out.read_text().splitlines()] == [
        SHAREGPT,
        SHAREGPT,
        SHAREGPT,
        guess,
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such.jsonl"], "no-such.jsonl"),
        (["a.jsonl", "--format", "word"], "unknown format"),
        (["-", "-"], "standard input can be read only once"),
        (["a.jsonl", "--fix-out", "a.jsonl"], "this is one of the input files"),
        (["a.jsonl", "--fix-out", "-", "--json"], "--json already writes to standard output"),
        (["a.jsonl", "--fix-out", "-", "--output-format", "sarif"], "--output-format sarif already writes"),
        (["a.jsonl", "--fix-out", "no/such/folder.jsonl"], "does its folder exist?"),
        ([], "Missing argument"),
    ],
)
def test_bad_usage_is_reported_with_exit_code_2(run_cli, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "a.jsonl", SHAREGPT)
    done = run_cli("check", *arguments)
    assert done.code == 2
    assert message in done.err
