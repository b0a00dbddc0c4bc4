"""Files of events are read as one row for each session, and session traces are written as one file for each row."""

import gzip
import io
import json
from collections import deque
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from tests.library.datasets.test_exporting import bring, export, gold_rows, write
from tests.records.corpus.sessions import label
from tests.services import services_for
from tests.trajectory.formats.agent_logs import (
    CLAUDE_CODE,
    CODEX,
    CODEX_ID,
    HERMES_SNAPSHOT,
    ID,
    SESSION_TRACE,
    asked,
    lines_of,
    spoken,
    text,
)
from workbench.errors import BadInput
from workbench.library.datasets.checking import FilesCheck
from workbench.library.datasets.export_target import ExportRefused
from workbench.library.datasets.file_row import ReadLimits
from workbench.library.datasets.opened_rows import OpenedRows
from workbench.library.datasets.row_files import read_row, read_rows, shards_of
from workbench.library.datasets.row_writer import open_log_writer
from workbench.library.datasets.session_export import export_rows
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.label import Verdict
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.row import RowFinding

LOGS = {"claude-code": CLAUDE_CODE, "codex": CODEX, "session-trace": SESSION_TRACE}


@pytest.fixture
def services(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    with services_for(data, "Fine.") as (opened, _):
        yield opened


def zstandard(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


def formats_in(file: Path) -> list[str]:
    rows = [read_row(row, "auto") for row in read_rows(str(file))]
    return [row.code if isinstance(row, RowFinding) else row.format for row in rows]


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    """Return a folder with the folders of three agents."""
    project = tmp_path / "claude" / "projects" / "-home-ann-shop"
    agents = project / ID / "subagents"
    day = tmp_path / "codex" / "sessions" / "2026" / "10" / "01"
    hermes = tmp_path / "hermes" / "sessions"
    for folder in (agents, day, hermes):
        folder.mkdir(parents=True)
    (project / f"{ID}.jsonl").write_bytes(lines_of(*CLAUDE_CODE))
    members = {"isSidechain": True, "agentId": "a1b2"}
    spoke = spoken("u2", "u1", "m1", text("Nothing."), **members)
    (agents / "agent-a1b2.jsonl").write_bytes(lines_of(asked("u1", None, "Look", **members), spoke))
    (agents / "agent-a1b2.meta.json").write_text('{"agentType": "Explore"}')
    (day / f"rollout-2026-10-01T09-00-00-{CODEX_ID}.jsonl").write_bytes(lines_of(*CODEX))
    (hermes / "session_20260420_211037_de8721.json").write_text(json.dumps(HERMES_SNAPSHOT, indent=2))
    (hermes / "sessions.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("packed", [bytes, gzip.compress, zstandard])
def test_a_file_of_events_is_one_row(tmp_path: Path, name: str, packed: Callable[[bytes], bytes]) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(packed(lines_of(*LOGS[name])))
    (row,) = read_rows(str(file))
    assert row.fields == {"traces": LOGS[name]}
    assert formats_in(file) == [name]


def test_a_log_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(lines_of(*CODEX)))
    monkeypatch.setattr("sys.stdin", stdin)
    assert [row.fields for row in read_rows("-")] == [{"traces": CODEX}]


@pytest.mark.parametrize("cut", [1, 40, 150])
def test_a_session_that_was_killed_is_read_up_to_its_last_line(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(lines_of(*CODEX).removesuffix(b"\n") + b"\n" + lines_of(CODEX[-1])[:cut])
    (row,) = read_rows(str(file))
    assert row.fields is not None
    assert row.fields["traces"] == [*CODEX, lines_of(CODEX[-1])[:cut].decode()]
    findings = list(FilesCheck(files=[str(file)]).findings())
    assert (len(CODEX) + 1, "log-line") in [(found.row, found.finding.code) for found in findings]
    assert formats_in(file) == ["codex"]


def test_blank_and_damaged_lines_keep_the_numbers_of_the_others(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    head, *tail = CLAUDE_CODE
    file.write_bytes(b'half a line"}\n' + lines_of(head) + b"\n\n" + b"\xff\xfe\n" + lines_of(*tail))
    (row,) = read_rows(str(file))
    assert row.fields is not None
    assert row.fields["traces"] == ['half a line"}', head, None, None, "\ufffd\ufffd", *tail]
    found = {(found.row, found.finding.code) for found in FilesCheck(files=[str(file)]).findings()}
    assert {(1, "log-line"), (10, "undeclared-tool"), (12, "undeclared-tool")} <= found


def test_a_damaged_file_in_zstandard_is_refused(tmp_path: Path) -> None:
    data = zstandard(lines_of(*CODEX))
    for bad in (data[:-20], data[:8] + b"xxxxxxxx" + data[16:], data[:4]):
        (tmp_path / "log.jsonl.zst").write_bytes(bad)
        with pytest.raises(BadInput, match="it is cut off or damaged"):
            list(read_rows(str(tmp_path / "log.jsonl.zst")))


def test_rows_that_only_look_like_events_stay_rows(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    rows = [
        {"type": "session", "id": "s", "messages": talk},
        {"type": "user", "sessionId": "s", "messages": talk},
    ]
    file = write(tmp_path / "rows.jsonl", *rows)
    assert [row.fields for row in read_rows(str(file))] == rows
    assert formats_in(file) == ["openai", "openai"]


def test_a_session_counts_as_one_row_for_the_limits(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(lines_of(*CODEX))
    size = file.stat().st_size
    assert len(list(read_rows(str(file), ReadLimits(row_bytes=size)))) == 1
    for limits in (ReadLimits(row_bytes=size - 1), ReadLimits(row_containers=40)):
        with pytest.raises(BadInput, match="row 1 is larger than"):
            list(read_rows(str(file), limits))


def test_the_folders_of_agents_are_searched_for_sessions(homes: Path) -> None:
    found = {
        agent: [Path(file).name for file in shards_of(str(homes / agent))]
        for agent in ("claude", "claude/projects/-home-ann-shop", "codex", "hermes/sessions")
    }
    assert found == {
        "claude": ["agent-a1b2.jsonl", f"{ID}.jsonl"],
        "claude/projects/-home-ann-shop": ["agent-a1b2.jsonl", f"{ID}.jsonl"],
        "codex": [f"rollout-2026-10-01T09-00-00-{CODEX_ID}.jsonl"],
        "hermes/sessions": ["session_20260420_211037_de8721.json"],
    }


def test_a_folder_of_rows_is_not_searched_deeper(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    (tmp_path / "old").mkdir()
    for name in ("rows.jsonl", "old/rows.jsonl"):
        write(tmp_path / name, {"messages": talk})
    assert shards_of(str(tmp_path)) == (str(tmp_path / "rows.jsonl"),)


def test_a_session_trace_is_a_file_for_each_session(tmp_path: Path) -> None:
    def row(name: str) -> dict[str, object]:
        return {"traces": [{**SESSION_TRACE[0], "id": name}, *SESSION_TRACE[1:]]}

    names = ["abc", "ABC", "../../etc/passwd", "", "字" * 300, "x" * 300]
    with open_log_writer(str(tmp_path / "out")) as write_row:
        for name in names:
            write_row(row(name))
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) == len(names)
    assert {file.name for file in files} >= {"abc.jsonl", "ABC-2.jsonl", "etc-passwd.jsonl", "session.jsonl"}
    read_back = [next(read_rows(str(file))).fields for file in files]
    assert sorted(map(json.dumps, read_back)) == sorted(json.dumps(row(name)) for name in names)


def test_a_file_holds_one_session_and_appears_only_if_it_does(tmp_path: Path) -> None:
    row = {"traces": SESSION_TRACE}
    with open_log_writer(str(tmp_path / "one.jsonl")) as write_row:
        write_row(row)
    assert (tmp_path / "one.jsonl").read_bytes() == lines_of(*SESSION_TRACE)
    with (
        pytest.raises(BadInput, match=r"it can hold one session.*name a folder"),
        open_log_writer(str(tmp_path / "two.jsonl")) as write_row,
    ):
        write_row(row)
        write_row(row)
    with pytest.raises(BadInput, match="Parquet cannot hold"), open_log_writer(str(tmp_path / "x.parquet")):
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["one.jsonl"]


def test_an_export_of_session_traces_has_a_file_for_each_and_a_receipt(services, tmp_path: Path) -> None:
    rows = list(gold_rows("openai", each=3))
    bring(services, write(tmp_path / "rows.jsonl", *rows))
    summary = export(services, tmp_path / "out", format="session-trace", licence="mit")
    assert summary.rows == len(rows)
    assert summary.receipt is not None
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    traces = [name for name in names if name.endswith(".jsonl")]
    assert names == sorted([*traces, "README.md", "receipt.json"])
    assert len(traces) == len(rows)
    assert [file["name"] for file in summary.receipt["files"]] == traces
    assert "path: '*.jsonl'" in (tmp_path / "out" / "README.md").read_text()
    assert {form for name in traces for form in formats_in(tmp_path / "out" / name)} == {"session-trace"}
    findings = FilesCheck(files=shards_of(str(tmp_path / "out"))).findings()
    assert [found.finding.code for found in findings if found.row is not None] == []
    for name in traces:
        assert_is_shown((tmp_path / "out" / name).read_text().splitlines())


SHOWN = {"role", "content", "reasoningContent", "toolCalls", "toolCallId", "timestamp", "model"}


def assert_is_shown(lines: list[str]) -> None:
    """Check that the lines of a file have what the Hub's viewer needs, and messages nothing that it does not know.

    *Source:* the tables of https://huggingface.co/docs/hub/session-traces-format
    """
    header, *events = map(json.loads, lines)
    assert header["type"] == "session"
    assert all(isinstance(header[key], str) and header[key] for key in ("id", "harness"))
    asked: set[str] = set()
    for event in events:
        message = event.pop("message")
        assert event == {"type": "message"}
        assert message.keys() <= SHOWN
        assert message["role"] in ("system", "user", "assistant", "tool")
        assert isinstance(message["content"], str)
        for call in message.get("toolCalls", ()):
            assert (call.keys(), call["function"].keys()) == ({"id", "function"}, {"name", "arguments"})
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            asked.add(call["id"])
        if message["role"] == "tool":
            assert message["toolCallId"] in asked


def test_sessions_are_imported_once_and_written_as_they_were(services, homes: Path, tmp_path: Path) -> None:
    for file in shards_of(str(homes)):
        assert [done.is_new for done in bring(services, Path(file))] == [True]
        assert [done.is_new for done in bring(services, Path(file))] == [False]
    export(services, tmp_path / "out.jsonl", format="codex", is_raw=True, skips=True)
    assert (tmp_path / "out.jsonl").read_bytes() == lines_of(*CODEX)


@pytest.mark.parametrize("name", [name for name in LOGS if FORMATS[name].spell is None])
def test_errors_of_an_unchanged_log_are_named_and_may_be_ignored(services, tmp_path: Path, name: str) -> None:
    for source in ("log.jsonl", "changed.jsonl"):
        events = [{**LOGS[name][0], "cwd": source}, *LOGS[name][1:]]
        (tmp_path / source).write_bytes(lines_of(*events))
    (imported,) = bring(services, tmp_path / "log.jsonl")
    (done,) = export_rows(services.corpus, ExportOptions(format=name))
    assert {obstacle.code for obstacle in done.all_obstacles} == {"undeclared-tool"}
    assert all(obstacle.message_id and obstacle.pointer for obstacle in done.all_obstacles)
    out = tmp_path / "out.jsonl"
    with pytest.raises(ExportRefused, match=r"1 of 1 sessions has errors.*--raw.*--skip-invalid"):
        export(services, out, format=name)
    assert export(services, out, format=name, skips=True).rows == 0
    for options in ({"ignored_codes": ("undeclared-tool",)}, {"is_raw": True}):
        assert export(services, out, format=name, **options).rows == 1
        assert out.read_bytes() == (tmp_path / "log.jsonl").read_bytes()
    bring(services, tmp_path / "changed.jsonl")
    last = services.sessions.path(imported.session_id)[-1]
    label(services, imported.session_id, last.id, verdict=Verdict.BAD_ANSWER, correction="Better.")
    reports = export_rows(services.corpus, ExportOptions(format=name, includes_stale=True))
    codes = [{obstacle.code for obstacle in report.all_obstacles} for report in reports]
    assert sorted(codes, key=sorted) == [{"not-writable"}, {"undeclared-tool"}]


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_opened_as_a_picture_of_its_session(tmp_path: Path, name: str) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(lines_of(*LOGS[name]))
    with closing(OpenedRows(name=file.name)) as rows:
        deque(rows.read_file(str(file)), maxlen=0)
        rows.finish()
        opened = rows.open_row(0)
    assert len(rows.index) == 1
    assert opened.fields == {"traces": LOGS[name]}
    assert file.read_bytes() == lines_of(*LOGS[name])
