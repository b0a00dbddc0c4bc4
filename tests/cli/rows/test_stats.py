"""`workbench stats`: statistics, and the text of a row that is trained on."""

import json

import pytest

from tests.cli.test_check import lines
from tests.trajectory.validate.rows import AGENT, OPENAI, SHAREGPT


def test_statistics_are_printed_as_lines_or_as_one_json_object(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT, OPENAI, "{")
    done = run_cli("stats", file)
    assert done.code == 1
    assert "2, 1 unreadable (openai 1, sharegpt 1)" in done.out or "(sharegpt 1, openai 1)" in done.out
    assert "4  calls of get_weather" in done.out
    found = json.loads(run_cli("stats", file, "--json").out)
    assert (found["rows"], found["unreadable"], found["calls"]) == (2, 1, 4)


def test_rows_can_be_read_from_standard_input(run_cli):
    assert json.loads(run_cli("stats", "-", "--json", stdin=json.dumps(OPENAI)).out)["rows"] == 1


def test_a_file_without_rows_has_statistics_and_fails(run_cli, tmp_path):
    done = run_cli("stats", lines(tmp_path / "a.jsonl"), "--json")
    assert (done.code, json.loads(done.out)["rows"]) == (1, 0)
    assert run_cli("stats", lines(tmp_path / "b.jsonl", OPENAI)).code == 0


def test_rows_that_a_trainer_would_cut_are_counted(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT, OPENAI, SHAREGPT)
    found = json.loads(run_cli("stats", file, "--json").out)
    lengths = found["tokens"]
    assert lengths["least"] < lengths["most"]
    assert "cut_rows" not in found
    out = run_cli("stats", file, "--max-length", str(lengths["most"] - 1)).out
    cut = json.loads(run_cli("stats", file, "--json", "--max-length", str(lengths["most"] - 1)).out)[
        "cut_rows"
    ]
    assert cut in (1, 2)
    assert f"({cut} of 3)" in out
    assert "2 in 1 parameter, 2 never used" in out
    assert (
        json.loads(run_cli("stats", file, "--json", "--max-length", str(lengths["most"])).out)["cut_rows"]
        == 0
    )


def test_the_text_that_is_trained_on_is_marked(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT, AGENT)
    out = run_cli("stats", file, "--mask", "2").out
    assert "⟦<think>\nEasy.\n</think>\nSun and rain.<|im_end|>⟧" in out
    assert "<|im_start|>user\nWeather in Paris and Rome?<|im_end|>" in out
    assert out.endswith("characters are trained on\n")
    found = json.loads(run_cli("stats", file, "--mask", "1", "--family", "hermes-3-sane", "--json").out)
    start, end = found["trained"][0]
    assert found["text"][start:end].startswith("Both at once.\n<tool_call>")


@pytest.mark.model
def test_the_tokens_that_are_trained_on_make_up_the_trained_text(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT)
    found = json.loads(run_cli("stats", file, "--mask", "1", "--tokenizer", "embedded", "--json").out)
    trained = [found["text"][slice(*token["span"])] for token in found["tokens"] if token["trained"]]
    assert "".join(trained) == "".join(found["text"][start:end] for start, end in found["trained"])
    statistics = json.loads(run_cli("stats", file, "--tokenizer", "embedded", "--json").out)
    assert statistics["longest"]["tokens"] == len(found["tokens"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such.jsonl"], "no-such.jsonl"),
        (["a.jsonl", "--format", "word"], "unknown format"),
        (["a.jsonl", "--mask", "9"], "there is no such row"),
        (["a.jsonl", "--mask", "2"], "not JSON"),
        (["a.jsonl", "a.jsonl", "--mask", "1"], "give only one file"),
        (["a.jsonl", "--family", "hermes-3"], "add a row number"),
        (["a.jsonl", "--mask", "1", "--family", "none"], "there is no such family"),
        (
            ["a.jsonl", "--mask", "1", "--tokenizer", "scripted:demo"],
            "does not report the positions of its tokens",
        ),
        ([], "Missing argument"),
    ],
)
def test_bad_usage_is_reported_with_exit_code_2(run_cli, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "a.jsonl", SHAREGPT, "{")
    done = run_cli("stats", *arguments)
    assert (done.code, message in done.err) == (2, True), done.err
