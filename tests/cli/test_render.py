"""`workbench render` prints a prompt, byte for byte, and nothing else."""

import json

import pytest

from tests.cli.conftest import CHECKOUT

CORPUS = CHECKOUT / "tests" / "corpus" / "prompts.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
MESSAGES = [{"role": "user", "content": "Hi\r\nthere, é"}]


@pytest.fixture
def files(tmp_path):
    """Write messages and tools to files, and return the options that name the files."""

    def write(messages, tools=None):
        (tmp_path / "messages.json").write_text(json.dumps(messages), encoding="utf-8")
        options = ["--messages", tmp_path / "messages.json"]
        if tools:
            (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
            options += ["--tools", tmp_path / "tools.json"]
        return options

    return write


@pytest.mark.parametrize("row", ROWS[::5], ids=lambda row: f"{row['family']}-{row['case']}")
def test_a_prompt_is_printed_byte_for_byte(run_cli, files, row):
    flag = ["--generation-prompt"] if row["add_generation_prompt"] else []
    done = run_cli("render", "--family", row["family"], *files(row["messages"], row["tools"]), *flag)
    assert (done.code, done.out) == (0, row["prompt"])


def test_the_bytes_arrive_unchanged_at_a_real_pipe(process, files):
    done = process("render", "--family", "hermes-lines", *files(MESSAGES), PYTHONIOENCODING="ascii")
    assert done.stdout == "<|im_start|>user\nHi\nthere, é<|im_end|>\n"  # the test's pipe reads \r\n as \n
    assert done.stderr == ""


def test_findings_go_to_standard_error(run_cli, files):
    row = ROWS[1]
    done = run_cli("render", "--family", "hermes-3", *files(row["messages"], row["tools"]))
    assert done.err.startswith("warning tools-not-json: ")


def test_messages_can_be_read_from_standard_input(run_cli):
    done = run_cli("render", "--family", "qwen3", "--messages", "-", stdin=json.dumps(MESSAGES))
    assert done.out == "<|im_start|>user\nHi\r\nthere, é<|im_end|>\n"


def test_rows_are_rendered_as_the_prompts_of_the_corpus(run_cli):
    stdin = "\n".join(json.dumps({**row, "prompt": None}) for row in ROWS)
    done = run_cli("render", "--jsonl", stdin=stdin)
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert [answer["prompt"] for answer in answers] == [row["prompt"] for row in ROWS]
    assert [list(answer) for answer in answers] == [["family", "case", "prompt", "findings"]] * len(ROWS)


def test_the_options_are_defaults_for_fields_that_a_row_leaves_out(run_cli):
    options = ["--family", "qwen3", "--generation-prompt", "--tools", "weather"]
    done = run_cli("render", "--jsonl", *options, stdin=json.dumps({"messages": MESSAGES}))
    answer = json.loads(done.out)
    assert (answer["family"], answer["case"]) == ("qwen3", None)
    assert "get_weather" in answer["prompt"]
    assert answer["prompt"].endswith("<|im_start|>assistant\n")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"family": "qwen9", "messages": MESSAGES}, "row 1, family 'qwen9': there is no such family"),
        ({"messages": MESSAGES}, "row 1, family: missing or not a string"),
        ({"family": "qwen3"}, "row 1, messages: not a list"),
        ({"family": "qwen3", "messages": [{"role": "x"}]}, "row 1, messages, /0/role: unknown role 'x'"),
        (
            {"family": "qwen3", "messages": [], "add_generation_prompt": 1},
            "row 1, add_generation_prompt: neither",
        ),
        ([], "row 1: not a JSON object"),
    ],
)
def test_an_invalid_row_is_reported_and_the_other_rows_are_rendered(run_cli, row, message):
    stdin = json.dumps(row) + "\n" + json.dumps({"family": "qwen3", "messages": MESSAGES})
    done = run_cli("render", "--jsonl", stdin=stdin)
    assert (done.code, done.out.count("\n")) == (2, 1)
    assert message in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--family and --messages are required"),
        (["--family", "qwen3"], "--family and --messages are required"),
        (["--family", "qwen3", "--messages", "/no/file"], "file /no/file: No such file"),
        (["--family", "qwen9", "--messages", "-"], "there is no such family"),
    ],
)
def test_bad_usage_gives_exit_code_2_and_prints_nothing(run_cli, arguments, message):
    done = run_cli("render", *arguments, stdin="[]")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (
            "[\n{]",
            "messages -: not JSON: Expecting property name enclosed in double quotes at line 2, column 2",
        ),
        ("{}", "messages: not a list"),
        (r'[{"role": "user", "content": "\ud800"}]', "a lone surrogate, '\\ud800', has no UTF-8 encoding"),
    ],
)
def test_invalid_messages_are_reported_in_one_line(run_cli, stdin, message):
    done = run_cli("render", "--family", "qwen3", "--messages", "-", stdin=stdin)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert message in done.err
