"""`workbench stats` on files."""

import json

import pytest

from tests.cli.test_check import lines
from tests.trajectory.validate.rows import AGENT, OPENAI, SHAREGPT


def test_figures_are_lines_and_json_is_one_object(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT, OPENAI, "{")
    done = run_cli("stats", file)
    assert done.code == 0
    assert "2, 1 unreadable (openai 1, sharegpt 1)" in done.out or "(sharegpt 1, openai 1)" in done.out
    assert "4  call of get_weather" in done.out
    found = json.loads(run_cli("stats", file, "--json").out)
    assert (found["rows"], found["unreadable"], found["calls"]) == (2, 1, 4)


def test_standard_input_is_read_too(run_cli):
    assert json.loads(run_cli("stats", "-", "--json", stdin=json.dumps(OPENAI)).out)["rows"] == 1


def test_nothing_at_all_has_figures_too(run_cli, tmp_path):
    assert run_cli("stats", lines(tmp_path / "a.jsonl")).code == 0


def test_a_row_is_shown_with_its_trained_text_marked(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT, AGENT)
    out = run_cli("stats", file, "--mask", "2").out
    assert "⟦<think>\nEasy.\n</think>\nSun and rain.<|im_end|>⟧" in out
    assert "<|im_start|>user\nWeather in Paris and Rome?<|im_end|>" in out
    assert out.endswith("characters are trained\n")
    found = json.loads(run_cli("stats", file, "--mask", "1", "--family", "hermes-3-sane", "--json").out)
    start, end = found["trained"][0]
    assert found["text"][start:end].startswith("Both at once.\n<tool_call>")


@pytest.mark.model
def test_tokens_of_the_embedded_model_are_trained_or_not(run_cli, tmp_path):
    file = lines(tmp_path / "a.jsonl", SHAREGPT)
    found = json.loads(run_cli("stats", file, "--mask", "1", "--tokenizer", "embedded", "--json").out)
    learnt = [found["text"][slice(*one["span"])] for one in found["tokens"] if one["trained"]]
    assert "".join(learnt) == "".join(found["text"][start:end] for start, end in found["trained"])
    figures = json.loads(run_cli("stats", file, "--tokenizer", "embedded", "--json").out)
    assert figures["longest"]["tokens"] == len(found["tokens"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such.jsonl"], "no-such.jsonl"),
        (["a.jsonl", "--format", "word"], "there is no such format"),
        (["a.jsonl", "--mask", "9"], "there is no such row"),
        (["a.jsonl", "--mask", "2"], "not JSON"),
        (["a.jsonl", "a.jsonl", "--mask", "1"], "name one file"),
        (["a.jsonl", "--family", "hermes-3"], "name a row"),
        (["a.jsonl", "--mask", "1", "--family", "none"], "there is no such family"),
        (["a.jsonl", "--mask", "1", "--tokenizer", "scripted:demo"], "does not say where its tokens stand"),
        ([], "Missing argument"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(run_cli, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "a.jsonl", SHAREGPT, "{")
    done = run_cli("stats", *arguments)
    assert (done.code, said in done.err) == (2, True), done.err
