"""`workbench export` and `workbench import`: reports and exit codes."""

import json

import pytest

from tests.records.corpus.sessions import CALL, SYSTEM, TOOL, talk
from tests.services import CHECKOUT, services_for
from tests.trajectory.formats.agent_logs import CODEX, lines_of

BROKEN = "<tool_call>\n{bad}\n</tool_call>"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The data folder that the commands use."""
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    return tmp_path


def row(question, **more):
    texts = [("system", SYSTEM), ("human", question), ("gpt", "Fine.")]
    entries = [{"from": speaker, "value": text} for speaker, text in texts]
    return {"conversations": entries, "tools": json.dumps([TOOL]), "source": "test", **more}


def write(file, *lines):
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return file


def test_imported_rows_are_reported_and_exported_unchanged(run_cli, home):
    rows = [row("One?", id=1), row("Two?", id=2)]
    file = write(home / "rows.jsonl", rows[0], "{bad", rows[1])
    done = run_cli("import", file, "--tag", "batch", "--queue", "--json")
    assert done.code == 1
    report = json.loads(done.out)
    assert (report["imported"], report["known"], report["failed"]) == (2, 0, 1)
    assert f"{file}:2: not JSON" in done.err
    again = run_cli("import", file, "--json")
    assert json.loads(again.out)["known"] == 2
    assert f"{file}:1: imported before as session {report['rows'][0]['session']}" in again.err
    out = run_cli("export", "--tag", "batch", "--state", "pending", "--out", "-")
    assert out.code == 0
    assert [json.loads(line) for line in out.out.splitlines()] == rows
    assert run_cli("import", home / "nowhere.jsonl").code == 2
    assert run_cli("import", file, "--format", "nonsense").code == 2


def test_an_import_names_what_is_lost_as_a_conversion_does(run_cli, home):
    logs = [home / f"{number}.jsonl" for number in range(22)]
    for file in logs:
        file.write_bytes(lines_of({**CODEX[0], "key": str(file)}, *CODEX[1:]))
    converted = run_cli(
        "convert", logs[0], "--to", "trl", "--out", home / "o.jsonl", "--report", home / "r.jsonl"
    )
    done = run_cli("import", *logs, "--json")
    lost = converted.err.splitlines()[0]
    assert lost == f"{logs[0]}:1: lost part-order (0, 1); lost key effort; lost key key"
    assert done.err.splitlines()[0] == lost
    assert done.err.count("lost key key") == 20
    assert "… and 2 more rows; --json lists all of them" in done.err
    assert "changed: key effort 22, key key 22, part-order" in done.err
    report = json.loads(done.out)
    assert report["changes"]["key key"] == 22
    (conversion,) = map(json.loads, (home / "r.jsonl").read_text().splitlines())
    assert report["rows"][0]["changes"] == [change for change in conversion["changes"] if change["lost"]]


def test_an_export_with_errors_is_refused_with_session_message_and_pointer(run_cli, home):
    with services_for(home) as (services, _):
        talk(services)
        bad, _ = talk(services, call=CALL.replace('"weather"', '"whether"'))
        broken, _ = talk(services, call=BROKEN)
    done = run_cli("export", "--out", home / "rows.jsonl")
    assert done.code == 1
    assert f"skipped: session {bad}: the row does not declare a tool 'whether'" in done.err
    assert "(/conversations/2/value)" in done.err
    assert f"skipped: session {broken}: message 3: 1 call block cannot be parsed" in done.err
    assert "2 of 3 sessions have errors, so nothing was written" in done.err
    assert not (home / "rows.jsonl").exists()
    skipped = run_cli("export", "--out", home / "rows.jsonl", "--skip-invalid", "--json")
    report = json.loads(skipped.out)
    assert (skipped.code, report["rows"], report["defective"]) == (0, 1, 2)
    assert report["left_out"] == {"call-unreadable": 1, "undeclared-tool": 1}
    assert json.loads((home / "receipt.json").read_text())["issues"] == {}


def test_a_card_needs_a_licence_and_a_push_needs_a_card(run_cli, home):
    with services_for(home) as (services, _):
        talk(services)
    done = run_cli("export", "--out", home / "rows.jsonl", "--licence", "apache-2.0", "--title", "Weather")
    assert done.code == 0
    assert "# Weather" in (home / "README.md").read_text()
    assert run_cli("export", "--out", home / "rows.jsonl", "--push", "me/rows").code == 2


def test_sessions_of_another_owner_are_exported_with_the_option_owner(run_cli, home):
    file = write(home / "rows.jsonl", row("One?"))
    assert run_cli("import", file, "--owner", "account:ann").code == 0
    assert run_cli("export", "--out", "-").code == 1
    done = run_cli("export", "--out", "-", "--owner", "account:ann")
    assert [json.loads(line) for line in done.out.splitlines()] == [row("One?")]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--format", "nonsense"),
        ("--format", "xlam"),
        ("--split", "train"),
        ("--session", "nowhere"),
        ("--frame", "no"),
        ("--verdict", "fine"),
        ("--min-rating", 6),
    ],
)
def test_bad_usage_gives_exit_code_2_and_writes_nothing(run_cli, home, wrong):
    assert run_cli("export", "--out", home / "set", *wrong).code == 2
    assert not list(home.glob("set/*.jsonl"))
