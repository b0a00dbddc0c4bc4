"""`workbench parse`: one completion for a person, or many for a program."""

import json
import os
import subprocess
import sys

import pytest

from tests.cli.conftest import CHECKOUT
from workbench.chat.finding import Edit, Span, apply_edits

TOOLS = CHECKOUT / "tests" / "corpus" / "tools.json"
CORPUS = CHECKOUT / "tests" / "corpus" / "readings.jsonl"
GOOD = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
COMMA = '<tool_call>\n{"name": "f", "arguments": {"l": [1, 2,]}}\n</tool_call>'
BAD = "<tool_call>\n{bad}\n</tool_call>"


def lines(done):
    return [json.loads(line) for line in done.out.splitlines()]


def rows(*values):
    return "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values)


def test_the_plain_output_has_a_caret_under_each_fix(run_cli):
    done = run_cli("parse", stdin=f"Let me see.\n{COMMA}")
    assert done.code == 0
    assert done.out.splitlines() == [
        "prose at 1:1",
        "  Let me see.",
        "call at 2:1",
        "  <tool_call>",
        '  {"name": "f", "arguments": {"l": [1, 2,]}}',
        "  </tool_call>",
        '  → f {"l": [1, 2]} ready',
        "fix trailing-comma at 3:39",
        '  {"name": "f", "arguments": {"l": [1, 2,]}}',
        "                                        ^ «,» removed",
        "1 call, 1 fix, 0 findings, 0 blocks dropped",
    ]


def test_a_guess_and_a_call_that_cannot_run_are_reported(run_cli):
    text = '<tool_call>\n{"name": "g", "arguments": {"q": "he said "hi" to me"}}\n</tool_call>'
    out = run_cli("parse", "--tools", "weather", stdin=text).out
    assert "fix unescaped-quote at 2:43 (a guess)" in out
    assert "unknown-tool" in out


def test_json_is_one_object_and_nothing_else(run_cli):
    done = run_cli("parse", "--json", stdin=COMMA)
    (reading,) = lines(done)
    assert reading == {
        "calls": [{"name": "f", "arguments": {"l": [1, 2]}, "status": "ready", "span": [0, len(COMMA)]}],
        "fixes": [
            {
                "code": "trailing-comma",
                "span": [50, 51],
                "edits": [{"span": [50, 51], "before": ",", "after": ""}],
                "guess": False,
            }
        ],
        "findings": [],
        "prose": [],
        "foreign": [],
        "dropped": 0,
    }


def test_a_file_is_read_byte_for_byte(run_cli, tmp_path):
    path = tmp_path / "completion.txt"
    path.write_bytes("a\r\nb é\r\n".encode())
    assert lines(run_cli("parse", path, "--json"))[0]["prose"] == ["a\r\nb é"]


@pytest.mark.parametrize(
    ("text", "level", "code"),
    [
        (GOOD, "strict", 0),
        (COMMA, "strict", 1),
        (BAD, "strict", 1),
        ("hello </tool_call> world", "strict", 0),
        (BAD, "tolerant", 0),
        ("The answer is 4.", "strict", 0),
    ],
)
def test_strict_gives_exit_code_1_if_a_block_was_refused(run_cli, text, level, code):
    assert run_cli("parse", "--level", level, stdin=text).code == code


def test_the_options_are_passed_to_the_reader(run_cli):
    bare = '{"name": "f", "arguments": {"a": 1}}'
    assert (
        len(lines(run_cli("parse", "--json", "--level", "lenient", "--tools", TOOLS, stdin=bare))[0]["calls"])
        == 1
    )
    codes = [
        f["code"] for f in lines(run_cli("parse", "--json", "--dialect", "xml", stdin=GOOD))[0]["findings"]
    ]
    assert codes == ["format-mismatch"]
    cut = lines(
        run_cli("parse", "--json", "--finish-reason", "length", stdin=GOOD.removesuffix("</tool_call>"))
    )[0]
    assert (cut["calls"], [f["code"] for f in cut["findings"]]) == ([], ["truncated"])
    thought = lines(run_cli("parse", "--json", "--starts-in-thought", stdin="plan</think>Hello."))[0]
    assert thought["prose"] == ["Hello."]


def test_each_row_of_the_corpus_is_read_as_the_corpus_expects(run_cli):
    expected = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    done = run_cli("parse", "--jsonl", CORPUS, "--tools", TOOLS)
    answers = lines(done)
    assert done.code == 0
    assert [answer["id"] for answer in answers] == [row["id"] for row in expected]
    for row, answer in zip(expected, answers, strict=True):
        called = [
            [call["name"], call["arguments"]] for call in answer["calls"] if call["status"] != "unknown-tool"
        ]
        assert called == row["calls"], row["id"]
        assert sorted(fix["code"] for fix in answer["fixes"]) == sorted(row["fixes"]), row["id"]
        assert sorted(finding["code"] for finding in answer["findings"]) == sorted(row["findings"]), row["id"]
        assert answer["prose"] == row.get("visible", answer["prose"])
        for fix in answer["fixes"]:
            edits = [Edit(span=Span(*e["span"]), before=e["before"], after=e["after"]) for e in fix["edits"]]
            assert all(edit.span.of(row["text"]) == edit.before for edit in edits)
            apply_edits(row["text"], edits)


def test_the_fields_of_a_row_override_the_options(run_cli):
    requests = rows(
        {"id": 1, "text": COMMA, "level": "tolerant"},
        {"id": 2, "text": GOOD, "tools": [], "dialect": "xml"},
        {"id": 3, "text": GOOD, "tools": [{"name": "f"}]},
        {"id": 4, "text": GOOD, "tools": None},
        {"text": "x</think>y", "starts_in_thought": True, "finish_reason": "length"},
    )
    done = run_cli("parse", "--jsonl", "--level", "strict", "--tools", "weather", stdin=requests)
    statuses = [[call["status"] for call in answer["calls"]] for answer in lines(done)]
    assert statuses == [["unknown-tool"], ["unknown-tool"], ["ready"], ["unknown-tool"], []]
    assert lines(done)[1]["findings"][0]["code"] in ("format-mismatch", "unknown-tool")
    assert (lines(done)[4]["id"], lines(done)[4]["prose"]) == (None, ["y"])
    assert done.code == 0


def test_a_row_with_an_invalid_tool_is_parsed_and_the_tool_reported(run_cli):
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": 5}}}]
    (answer,) = lines(run_cli("parse", "--jsonl", stdin=rows({"id": 1, "text": GOOD, "tools": tools})))
    assert answer["calls"][0]["name"] == "f"
    assert "schema-invalid" in [finding["code"] for finding in answer["findings"]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{not json", "row 2: not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[1]", "row 2: not a JSON object"),
        ('{"id": 1}', "row 2, text: missing or not a string"),
        (
            '{"text": "x", "level": "hard"}',
            "row 2, level: unknown value 'hard' (use one of strict, tolerant, lenient)",
        ),
        ('{"text": "x", "dialect": 5}', "row 2, dialect: unknown value 5"),
        ('{"text": "x", "tools": {"a": 1}}', "row 2, tools: not a list of objects"),
        ('{"text": "x", "starts_in_thought": 1}', "row 2, starts_in_thought: neither true nor false"),
        ('{"text": "x", "finish_reason": 1}', "row 2, finish_reason: not a string"),
        (b'{"text": "\xff"}', "row 2: not UTF-8 at byte 10"),
        ("[" * 100_000, "row 2: not JSON: maximum recursion depth exceeded"),
        ('{"text": "x", "n": ' + "1" * 5000 + "}", "row 2: not JSON: Exceeds the limit"),
    ],
)
def test_an_unreadable_row_is_reported_and_the_other_rows_are_parsed(run_cli, row, message):
    middle = row if isinstance(row, bytes) else row.encode()
    stdin = b"\n".join([b'{"id": "a", "text": "x"}', middle, b"", b'{"id": "b", "text": "y"}'])
    done = run_cli("parse", "--jsonl", stdin=stdin)
    assert [answer["id"] for answer in lines(done)] == ["a", "b"]
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_the_exit_code_for_unreadable_rows_overrides_the_one_for_refused_blocks(run_cli):
    stdin = rows({"id": 1, "text": COMMA}, "nonsense", {"id": 2, "text": COMMA})
    assert run_cli("parse", "--jsonl", "--level", "strict", stdin=stdin).code == 2
    assert run_cli("parse", "--jsonl", "--level", "strict", stdin=rows({"id": 1, "text": COMMA})).code == 1


def test_lone_surrogates_are_escaped_and_line_separators_do_not_break_lines(run_cli):
    stdin = rows({"id": "\ud800", "text": "a\u2028b"})
    done = run_cli("parse", "--jsonl", stdin=stdin.replace("\\u2028", "\u2028"))
    assert done.out.count("\n") == 1
    assert lines(done)[0]["prose"] == ["a\u2028b"]
    assert lines(done)[0]["id"] == "\ud800"


@pytest.mark.parametrize(
    "arguments",
    [["--level", "hard"], ["--dialect", "yaml"], ["/no/such/file"], ["--tools", "nonsuch"], ["--what"]],
)
def test_bad_usage_gives_exit_code_2_and_prints_nothing_on_standard_output(run_cli, arguments):
    done = run_cli("parse", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err


def test_a_text_that_is_not_utf_8_is_reported_in_one_line(run_cli):
    done = run_cli("parse", stdin=b"ab\xe9")
    assert (done.code, done.err) == (2, "workbench: file -: not UTF-8 at byte 2\n")


def test_a_row_is_answered_before_the_next_row_arrives():
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "parse", "--jsonl"],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        for number in range(2):
            process.stdin.write(rows({"id": number, "text": GOOD}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
        assert process.wait(timeout=60) == 0


MEASURED = """
import resource, sys
from workbench.cli.app import run
try:
    run()
except SystemExit as ended:
    assert not ended.code
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak_memory_kb(path):
    command = [sys.executable, "-c", MEASURED, "parse", "--jsonl", str(path)]
    done = subprocess.run(
        command, cwd=CHECKOUT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True
    )
    return int(done.stderr)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_memory_does_not_grow_with_the_number_of_rows(tmp_path):
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    row = rows({"id": 1, "text": "x" * 40_000}).encode() + b"\n"
    few.write_bytes(row * 20)
    many.write_bytes(row * 1500)
    assert peak_memory_kb(many) - peak_memory_kb(few) < 16_000  # the file itself has 60,000


def run_on_a_terminal(**variables):
    """Return the output of the command when standard output is a terminal."""
    pty = pytest.importorskip("pty")
    our_end, terminal = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "parse"],
        cwd=CHECKOUT,
        env=environment | {"TERM": "xterm"} | variables,
        stdin=subprocess.PIPE,
        stdout=terminal,
    )
    os.close(terminal)
    process.stdin.write(COMMA.encode())
    process.stdin.close()
    pieces = []
    try:
        while piece := os.read(our_end, 65536):
            pieces.append(piece)
    except OSError:
        pass  # a closed terminal raises EIO
    os.close(our_end)
    assert process.wait(timeout=60) == 0
    return b"".join(pieces)


def test_colours_are_used_only_on_a_terminal_and_never_with_no_color(workbench, tmp_path):
    assert b"\x1b[33mfix trailing-comma at 2:39" in run_on_a_terminal()
    assert b"\x1b" not in run_on_a_terminal(NO_COLOR="1")
    path = tmp_path / "completion.txt"
    path.write_text(COMMA)
    assert "\x1b" not in workbench("parse", path).stdout


def test_the_text_of_a_model_cannot_control_the_terminal(run_cli):
    assert "\x1b" not in run_cli("parse", stdin="\x1b[2Jgone \x9b").out
