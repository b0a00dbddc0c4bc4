"""`workbench diff`: what changed between two files of rows."""

import gzip
import json

from tests.cli.test_check import lines
from tests.trajectory.validate.rows import AGENT, OPENAI, SHAREGPT, changed

BEFORE = [{**OPENAI, "id": "a"}, {**SHAREGPT, "id": "b"}, {**AGENT, "id": "c"}]
NEW = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}], "id": "d"}
OSLO = changed(BEFORE[0], "messages", 2, "tool_calls", 1, "function", "arguments", to='{"city": "Oslo"}')


def test_equal_files_give_no_difference(run_cli, tmp_path):
    before = lines(tmp_path / "a.jsonl", *BEFORE)
    (tmp_path / "b.jsonl.gz").write_bytes(
        gzip.compress("".join(json.dumps(row) + "\n" for row in BEFORE[::-1]).encode())
    )
    done = run_cli("diff", before, tmp_path / "b.jsonl.gz")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "3 unchanged, 0 changed, 0 removed, 0 added"


def test_rows_that_were_added_removed_and_changed_are_listed(run_cli, tmp_path):
    before, after = lines(tmp_path / "a.jsonl", *BEFORE), lines(tmp_path / "b.jsonl", NEW, BEFORE[1], OSLO)
    done = run_cli("diff", before, after)
    assert done.code == 1
    assert done.out.splitlines()[2:] == [
        "1 unchanged, 1 changed, 1 removed, 1 added",
        "~ a (row 1 → row 3)",
        '    message 3, call 2: argument city changed: "Rome" → "Oslo"',
        "- c (row 3)",
        "+ d (row 1)",
        "calls by tool",
        "  get_weather 6 → 4 (-2)",
        *done.out.splitlines()[9:],
    ]
    found = json.loads(run_cli("diff", before, after, "--json").out)
    assert {kind: found[kind] for kind in ("unchanged", "changed", "removed", "added")} == {
        "unchanged": 1, "changed": 1, "removed": 1, "added": 1,
    }  # fmt: skip
    assert found["changed_rows"] == [
        {
            "id": "a",
            "before": 1,
            "after": 3,
            "changes": [
                {
                    "kind": "changed",
                    "part": "argument",
                    "message": 2,
                    "call": 1,
                    "name": "city",
                    "before": "Rome",
                    "after": "Oslo",
                }
            ],
        }
    ]
    assert found["removed_rows"] == [{"id": "c", "before": 3, "after": None}]
    assert found["added_rows"] == [{"id": "d", "before": None, "after": 1}]
    assert {"figure": "calls by tool", "name": "get_weather", "before": 6, "after": 4} in found["moved"]


def test_the_number_of_listed_rows_is_limited(run_cli, tmp_path):
    before, after = (
        lines(tmp_path / "a.jsonl"),
        lines(tmp_path / "b.jsonl", *({**NEW, "id": f"n{n}"} for n in range(5))),
    )
    out = run_cli("diff", before, after, "--limit", "2").out
    assert "+ n1 (row 2)\n  … 3 more added" in out
    assert "n2" not in out


def test_findings_that_moved_are_shown_and_unreadable_rows_are_compared(run_cli, tmp_path):
    wrong = changed(BEFORE[0], "messages", 2, "tool_calls", 0, "function", "arguments", to='{"city": 5}')
    done = run_cli(
        "diff", lines(tmp_path / "a.jsonl", BEFORE[0], "{"), lines(tmp_path / "b.jsonl", wrong, "{")
    )
    assert "1 unchanged, 1 changed, 0 removed, 0 added" in done.out
    assert "findings\n  schema-type 0 → 1 (+1)" in done.out


def test_a_file_that_cannot_be_read_is_named(run_cli, tmp_path):
    done = run_cli("diff", lines(tmp_path / "a.jsonl", NEW), tmp_path / "nowhere.jsonl")
    assert (done.code, "nowhere.jsonl" in done.err) == (2, True)
