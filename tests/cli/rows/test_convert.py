"""`workbench convert`, `workbench receipt` and `workbench push`."""

import json

import pytest

from tests.library.datasets.hub_server import serving_hub
from tests.trajectory.formats.agent_logs import codex, lines_of, said
from workbench.library.datasets.row_files import read_rows

SPEC = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


def openai(number, **arguments):
    """Return a row in OpenAI's format with one call."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": json.dumps(arguments)}}
    return {
        "messages": [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "1"},
            {"role": "assistant", "content": "done"},
        ],
        "tools": [SPEC],
        "number": number,
    }


@pytest.fixture
def rows(tmp_path):
    """A file of three rows."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(openai(n, a=n)) + "\n" for n in range(3)))
    return path


def fields(path):
    return [row.fields for row in read_rows(str(path))]


def test_rows_are_converted_there_and_back(run_cli, rows, tmp_path):
    done = run_cli("convert", rows, "--to", "sharegpt", "--out", tmp_path / "s.jsonl")
    assert (done.code, done.out) == (0, "")
    assert f"{rows}:1: lost ids (1, 2)" in done.err
    assert "3 rows read, 3 written, 0 skipped\nlost: ids 3\nadded: tools-told 3\n" in done.err
    assert [entry["from"] for entry in fields(tmp_path / "s.jsonl")[0]["conversations"]] == [
        "system",
        "human",
        "gpt",
        "tool",
        "gpt",
    ]
    done = run_cli("convert", tmp_path / "s.jsonl", "--to", "openai", "--out", tmp_path / "o.jsonl")
    assert done.code == 0
    back = fields(tmp_path / "o.jsonl")
    assert [row.pop("source") for row in back] == ["hermes-workbench"] * 3
    assert json.dumps(back).replace("call_1", "c1") == json.dumps(fields(rows))


def test_the_tool_prompt_of_hermes_rows_is_removed_on_request(run_cli, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    hermes, trl = tmp_path / "h.jsonl", tmp_path / "t.jsonl"
    tools = json.dumps([SPEC])
    system = f"You are a function calling AI model. Here are the available tools: <tools> {tools} </tools>"
    entries = [("system", system), ("human", "Hi"), ("gpt", "Hello.")]
    conversations = [{"from": speaker, "value": text} for speaker, text in entries]
    hermes.write_text(json.dumps({"conversations": conversations, "tools": tools}) + "\n")
    done = run_cli("convert", hermes, "--to", "trl", "--out", trl)
    assert ("tools-told-twice" in done.err, fields(trl)[0]["messages"][0]["role"]) == (True, "system")
    done = run_cli("convert", hermes, "--to", "trl", "--strip-tool-prompt", "--out", trl)
    assert ("tools-told-twice" in done.err, fields(trl)[0]["messages"][0]["role"]) == (False, "user")
    run_cli("import", hermes)
    done = run_cli("export", "--format", "trl", "--strip-tool-prompt", "--out", tmp_path / "e.jsonl")
    assert (done.code, fields(tmp_path / "e.jsonl")) == (0, fields(trl))


def test_strict_skips_rows_that_would_lose_something(run_cli, rows, tmp_path):
    done = run_cli(
        "convert", rows, "--to", "llamafactory", "--out", tmp_path / "o.jsonl", "--strict", "--json"
    )
    assert done.code == 1
    assert json.loads(done.out) == {
        "read": 3,
        "written": 0,
        "left_out": 3,
        "splits": {},
        "losses": {},
        "additions": {},
        "problems": {"would-lose": 3},
    }
    assert "skipped: entry 1: the format would lose: preface (and 2 more)" in done.err
    assert run_cli("convert", rows, "--to", "trl", "--out", tmp_path / "o.jsonl", "--strict").code == 0


def test_a_bad_line_is_reported_with_its_number_and_the_other_rows_are_written(run_cli, rows, tmp_path):
    rows.write_text("{oops\n" + rows.read_text() + '{"what": 1}\n')
    report = tmp_path / "report.jsonl"
    done = run_cli("convert", rows, "--to", "trl", "--out", tmp_path / "o.jsonl", "--report", report)
    assert done.code == 1
    assert f"{rows}:1: skipped: not JSON" in done.err
    assert f"{rows}:5: skipped: the row does not look like any known format" in done.err
    assert [row["number"] for row in fields(tmp_path / "o.jsonl")] == [0, 1, 2]
    codes = {row["row"]: row["problems"][0]["code"] for row in fields(report)}
    assert codes == {1: "unreadable-row", 5: "unknown-format"}


def test_stop_ends_at_the_first_bad_row_and_writes_nothing(run_cli, rows, tmp_path):
    rows.write_text(rows.read_text() + "{oops\n")
    done = run_cli("convert", rows, "--to", "trl", "--out", tmp_path / "o.jsonl", "--stop")
    assert done.code == 2
    assert f"{rows}:4: not JSON" in done.err
    assert not (tmp_path / "o.jsonl").exists()


def test_arguments_become_text_if_their_types_differ_between_rows(run_cli, rows, tmp_path):
    run_cli("convert", rows, "--to", "trl", "--out", tmp_path / "same.jsonl")
    call = fields(tmp_path / "same.jsonl")[1]["messages"][1]["tool_calls"][0]
    assert call["function"]["arguments"] == {"a": 1}
    rows.write_text(rows.read_text() + json.dumps(openai(3, a="text")) + "\n")
    run_cli("convert", rows, "--to", "trl", "--out", tmp_path / "mixed.jsonl")
    call = fields(tmp_path / "mixed.jsonl")[1]["messages"][1]["tool_calls"][0]
    assert call["function"]["arguments"] == '{"a": 1}'


def test_a_skipped_row_does_not_decide_whether_arguments_become_text(run_cli, tmp_path):
    def row(arguments, more=()):
        call = {"type": "function", "function": {"name": "f", "arguments": arguments}}
        return {
            "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [call]}, *more]
        }

    unwritable = row({"a": "x"}, [{"role": "tool", "content": "1"}, {"role": "nobody", "content": "2"}])
    file = tmp_path / "in.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in (row({"a": 1}), unwritable)))
    done = run_cli("convert", str(file), "--to", "trl", "--out", str(tmp_path / "out.jsonl"))
    assert done.code == 1
    (written,) = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert written["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"a": 1}


def test_a_big_integer_is_lost_only_if_arguments_must_be_objects(run_cli, rows, tmp_path):
    rows.write_text(json.dumps(openai(0, a=2**70)) + "\n")
    assert "lost" not in run_cli("convert", rows, "--to", "trl", "--out", tmp_path / "o.jsonl").err
    done = run_cli("convert", rows, "--to", "trl", "--out", tmp_path / "o.jsonl", "--arguments", "object")
    assert "lost big-integers (1)" in done.err


def test_rows_of_a_group_stay_in_one_split(run_cli, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({**openai(n), "session": f"s{n % 7}"}) + "\n" for n in range(70)))
    folder = tmp_path / "set"
    done = run_cli(
        "convert",
        rows,
        "--to",
        "openai",
        "--out",
        folder,
        "--split",
        "train=0.5,test=0.5",
        "--group",
        "session",
        "--json",
    )
    assert done.code == 0
    train, test = ({row["session"] for row in fields(folder / f"{name}.jsonl")} for name in ("train", "test"))
    assert train | test == {f"s{n}" for n in range(7)}
    assert not train & test
    assert sum(json.loads(done.out)["splits"].values()) == 70


@pytest.mark.parametrize("name", ["o.jsonl.gz", "o.parquet"])
def test_other_kinds_of_files_are_written_and_read(run_cli, rows, tmp_path, name):
    assert run_cli("convert", rows, "--to", "trl", "--out", tmp_path / name).code == 0
    assert run_cli("convert", tmp_path / name, "--to", "openai", "--out", tmp_path / "back.jsonl").code == 0
    assert [row["messages"] for row in fields(tmp_path / "back.jsonl")] == [
        row["messages"] for row in fields(rows)
    ]


def test_rows_are_converted_from_standard_input_to_standard_output(run_cli, rows):
    done = run_cli("convert", "-", "--to", "kto", "--out", "-", "--label", stdin=rows.read_bytes())
    assert done.code == 0
    assert [json.loads(line)["label"] for line in done.out.splitlines()] == [True] * 3


def test_kto_without_a_label_and_dpo_without_a_rejected_answer_are_refused(run_cli, rows, tmp_path):
    done = run_cli("convert", rows, "--to", "kto", "--out", tmp_path / "o.jsonl")
    assert done.code == 1
    assert "use --label or --no-label" in done.err
    assert "no rejected answer" in run_cli("convert", rows, "--to", "dpo", "--out", tmp_path / "o.jsonl").err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--to", "nothing", "--out", "o.jsonl"), "format 'nothing': unknown format"),
        (("--to", "xlam", "--out", "o.jsonl"), "format 'xlam': this format can only be read"),
        (("--to", "openai", "--from", "nothing", "--out", "{}/o.jsonl"), "format 'nothing'"),
        (("--to", "openai", "--out", "-", "--json"), "the rows already go to standard output"),
        (("--to", "openai", "--out", "{}/rows.jsonl"), "this is the input file"),
        (("--to", "openai", "--out", "{}/no/o.jsonl"), "does its folder exist"),
        (("--to", "raw", "--out", "{}/o.jsonl", "--frame", "no"), "unknown frame"),
        (("--to", "raw", "--out", "{}", "--split", "a=2"), "split 'a=2'"),
        (("--to", "raw", "--out", "{}/rows.jsonl", "--split", "a=1"), "this is the input file"),
    ],
)
def test_bad_usage_is_reported_in_one_line(run_cli, rows, tmp_path, arguments, problem):
    done = run_cli("convert", rows, *(argument.format(tmp_path) for argument in arguments))
    assert done.code == 2
    assert problem in done.err
    assert done.err.count("\n") == 1


def test_a_receipt_is_the_same_each_time_and_refused_if_rows_have_errors(run_cli, rows, tmp_path):
    assert run_cli("receipt", rows, "-o", tmp_path / "one.json").code == 0
    assert run_cli("receipt", rows, "-o", tmp_path / "two.json").code == 0
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert json.loads((tmp_path / "one.json").read_text())["calls"] == 3
    rows.write_text(rows.read_text() + "{oops\n")
    done = run_cli("receipt", rows, "-o", tmp_path / "three.json")
    assert (done.code, done.err) == (1, "workbench: no receipt written, rows have errors: unreadable-row 1\n")
    assert not (tmp_path / "three.json").exists()


@pytest.mark.slow
def test_files_are_uploaded_with_card_and_receipt(process, rows):
    with serving_hub("secret") as hub:
        variables = {"HF_ENDPOINT": hub.address, "HF_TOKEN": "secret"}
        done = process("push", rows, "--repo", "me/set", "--licence", "mit", **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{hub.address}/datasets/me/set\n"
    assert set(hub.files) == {"rows.jsonl", "README.md", "receipt.json"}
    assert hub.files["rows.jsonl"] == rows.read_bytes()
    assert b"license: mit" in hub.files["README.md"]
    assert json.loads(hub.files["receipt.json"])["rows"] == 3


def test_a_dry_run_prints_the_card_and_uploads_nothing(run_cli, rows):
    done = run_cli("push", rows, "--repo", "me/set", "--licence", "mit", "--dry-run")
    assert done.code == 0
    assert "# set" in done.out
    assert "| Rows | 3 |" in done.out


def test_the_logs_of_an_agent_become_one_file_of_rows_or_a_trace_for_each_session(run_cli, tmp_path):
    logs = tmp_path / "sessions" / "2026" / "10"
    logs.mkdir(parents=True)
    for number in (1, 2):
        events = [
            codex(0, "session_meta", id=f"s{number}"),
            said(1, "user", f"Question {number}"),
            said(2, "assistant", f"Answer {number}"),
        ]
        (logs / f"rollout-{number}.jsonl").write_bytes(lines_of(*events, '{"type": "respo'))
    done = run_cli("convert", tmp_path / "sessions", "--to", "openai", "--out", tmp_path / "rows.jsonl")
    assert done.code == 0
    assert (
        f"{logs / 'rollout-2.jsonl'}:1: lost log-events (not a JSON object, so it is not read: line 4)"
        in done.err
    )
    assert "2 rows read, 2 written, 0 skipped\nlost: log-events 2\n" in done.err
    assert [row["id"] for row in fields(tmp_path / "rows.jsonl")] == ["s1", "s2"]
    done = run_cli("convert", tmp_path / "sessions", "--to", "session-trace", "--out", tmp_path / "traces")
    assert done.code == 0
    assert sorted(file.name for file in (tmp_path / "traces").iterdir()) == ["s1.jsonl", "s2.jsonl"]
    done = run_cli("check", tmp_path / "traces")
    assert done.code == 0
    assert "2 rows, 0 errors, 2 warnings" in done.err.replace("\n", " ")
    done = run_cli("convert", tmp_path / "sessions", "--to", "session-trace", "--out", tmp_path / "one.jsonl")
    assert done.code == 2
    assert "it can hold one session, and there are several (name a folder" in done.err
    assert not (tmp_path / "one.jsonl").exists()
