"""`workbench render`: the prompt's bytes and nothing else."""

import json

import pytest

from tests.cli.conftest import CHECKOUT

CORPUS = CHECKOUT / "tests" / "corpus" / "prompts.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
ASKED = [{"role": "user", "content": "Hi\r\nthere, é"}]


@pytest.fixture
def files(tmp_path):
    """Writes messages and tools; gives the options that name them."""

    def write(messages, tools=None):
        (tmp_path / "messages.json").write_text(json.dumps(messages), encoding="utf-8")
        options = ["--messages", tmp_path / "messages.json"]
        if tools:
            (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
            options += ["--tools", tmp_path / "tools.json"]
        return options

    return write


@pytest.mark.parametrize("row", ROWS[::5], ids=lambda row: f"{row['family']}-{row['case']}")
def test_a_prompt_comes_out_byte_for_byte(run_cli, files, row):
    flag = ["--generation-prompt"] if row["add_generation_prompt"] else []
    done = run_cli("render", "--family", row["family"], *files(row["messages"], row["tools"]), *flag)
    assert (done.code, done.out) == (0, row["prompt"])


def test_the_bytes_are_not_touched_on_their_way_to_a_real_pipe(process, files):
    done = process("render", "--family", "hermes-lines", *files(ASKED), PYTHONIOENCODING="ascii")
    assert done.stdout == "<|im_start|>user\nHi\nthere, é<|im_end|>\n"  # the test's pipe reads \r\n as \n
    assert done.stderr == ""


def test_findings_go_to_standard_error(run_cli, files):
    row = ROWS[1]
    done = run_cli("render", "--family", "hermes-3", *files(row["messages"], row["tools"]))
    assert done.err.startswith("warning tools-not-json: ")


def test_messages_may_come_by_standard_input(run_cli):
    done = run_cli("render", "--family", "qwen3", "--messages", "-", stdin=json.dumps(ASKED))
    assert done.out == "<|im_start|>user\nHi\r\nthere, é<|im_end|>\n"


def test_rows_come_back_with_the_corpus_s_prompts(run_cli):
    stdin = "\n".join(json.dumps({**row, "prompt": None}) for row in ROWS)
    done = run_cli("render", "--jsonl", stdin=stdin)
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert [answer["prompt"] for answer in answers] == [row["prompt"] for row in ROWS]
    assert [list(answer) for answer in answers] == [["family", "case", "prompt", "findings"]] * len(ROWS)


def test_a_row_takes_what_it_leaves_out_from_the_options(run_cli):
    options = ["--family", "qwen3", "--generation-prompt", "--tools", "weather"]
    done = run_cli("render", "--jsonl", *options, stdin=json.dumps({"messages": ASKED}))
    answer = json.loads(done.out)
    assert (answer["family"], answer["case"]) == ("qwen3", None)
    assert "get_weather" in answer["prompt"]
    assert answer["prompt"].endswith("<|im_start|>assistant\n")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"family": "qwen9", "messages": ASKED}, "row 1, family 'qwen9': there is no such family"),
        ({"messages": ASKED}, "row 1, family: missing or no string"),
        ({"family": "qwen3"}, "row 1, messages: no list"),
        ({"family": "qwen3", "messages": [{"role": "x"}]}, "row 1, messages, /0/role: unknown role 'x'"),
        (
            {"family": "qwen3", "messages": [], "add_generation_prompt": 1},
            "row 1, add_generation_prompt: neither",
        ),
        ([], "row 1: not a JSON object"),
    ],
)
def test_an_unusable_row_is_a_line_and_the_others_are_answered(run_cli, row, message):
    stdin = json.dumps(row) + "\n" + json.dumps({"family": "qwen3", "messages": ASKED})
    done = run_cli("render", "--jsonl", stdin=stdin)
    assert (done.code, done.out.count("\n")) == (2, 1)
    assert message in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--family and --messages are needed"),
        (["--family", "qwen3"], "--family and --messages are needed"),
        (["--family", "qwen3", "--messages", "/no/file"], "file /no/file: No such file"),
        (["--family", "qwen9", "--messages", "-"], "there is no such family"),
    ],
)
def test_bad_usage_exits_2_and_prints_nothing(run_cli, arguments, message):
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
        ("{}", "messages: no list"),
        (r'[{"role": "user", "content": "\ud800"}]', "half a surrogate pair, '\\ud800', has no UTF-8"),
    ],
)
def test_messages_that_cannot_be_used_are_one_line(run_cli, stdin, message):
    done = run_cli("render", "--family", "qwen3", "--messages", "-", stdin=stdin)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert message in done.err
