"""`workbench compress` shortens long rows, with or without a model."""

import json

import pytest

from workbench.library.datasets.row_files import read_rows


@pytest.fixture
def rows(tmp_path):
    """A file of one long row and one short one."""
    entries = [{"from": "system", "value": "Be brief."}, {"from": "human", "value": "Do it."}]
    for number in range(30):
        call = f'<tool_call>\n{{"name": "f", "arguments": {{"n": {number}}}}}\n</tool_call>'
        entries.append({"from": "gpt", "value": call})
        entries.append({"from": "tool", "value": f"<tool_response>\n{number} {'x' * 400}\n</tool_response>"})
    entries.append({"from": "gpt", "value": "Done."})
    path = tmp_path / "rows.jsonl"
    short = {"conversations": entries[:2] + entries[-1:], "tools": "[]", "source": "s"}
    path.write_text(json.dumps({"conversations": entries, "tools": "[]"}) + "\n" + json.dumps(short) + "\n")
    return path


def fields(path):
    return [row.fields for row in read_rows(str(path))]


def test_a_long_row_is_shortened_and_a_short_row_is_unchanged(run_cli, rows, tmp_path):
    done = run_cli("compress", rows, "--tokens", 1500, "--summary-tokens", 100)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("2 rows, 1 compressed, 0 still too long, 0 skipped; ")
    long, short = fields(tmp_path / "rows_compressed.jsonl")
    assert short == fields(rows)[1]
    assert long["compression_metrics"]["was_compressed"] is True
    assert long["compression_metrics"]["compressed_tokens"] <= 1500
    summary = [
        entry["value"] for entry in long["conversations"] if entry["value"].startswith("[CONTEXT SUMMARY]:")
    ]
    assert len(summary) == 1
    figures = json.loads((tmp_path / "compression_metrics.json").read_text())
    assert figures["summary"] == {
        "total_trajectories": 2,
        "trajectories_compressed": 1,
        "trajectories_left_out": 0,
        "trajectories_still_over_limit": 0,
    }


def test_the_same_rows_give_the_same_bytes(run_cli, rows, tmp_path):
    for name in ("one.jsonl", "two.jsonl"):
        assert run_cli("compress", rows, "--tokens", 1500, "--out", tmp_path / name).code == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_settings_are_read_from_a_file_and_overridden_by_options(run_cli, rows, tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text(
        "compression: {target_max_tokens: 500, summary_target_tokens: 50}\n"
        "output: {output_suffix: _short, add_summary_notice: false}\n"
        "metrics: {per_trajectory: false, output_file: figures.json}\n"
    )
    assert run_cli("compress", rows, "--config", config, "--tokens", 2000).code == 0
    long = fields(tmp_path / "rows_short.jsonl")[0]
    assert long["conversations"][0]["value"] == "Be brief."
    assert "compression_metrics" not in long
    tokens = json.loads((tmp_path / "figures.json").read_text())["tokens"]["total_after"]
    assert 1000 < tokens <= 2100


def test_rows_that_are_still_too_long_can_be_skipped(run_cli, rows, tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("processing: {save_over_limit: false}\n")
    done = run_cli("compress", rows, "--config", config, "--tokens", 100, "--summary-tokens", 20)
    assert done.code == 1
    assert f"{rows}:1: skipped: it still has" in done.err
    assert len(fields(tmp_path / "rows_compressed.jsonl")) == 1


def test_a_model_writes_the_summary(workbench, rows, tmp_path):
    script = tmp_path / "script.yaml"
    script.write_text("completions:\n- It counted to thirty.\n")
    done = workbench("compress", rows, "--tokens", 1500, "--model", f"scripted:{script}")
    assert done.returncode == 0, done.stderr
    entries = fields(tmp_path / "rows_compressed.jsonl")[0]["conversations"]
    assert "[CONTEXT SUMMARY]: It counted to thirty." in [entry["value"] for entry in entries]


def test_the_summary_is_extracted_if_the_model_fails(workbench, rows, tmp_path):
    script = tmp_path / "script.yaml"
    script.write_text("completions:\n- error: out of memory\n")
    done = workbench("compress", rows, "--tokens", 1500, "--model", f"scripted:{script}")
    assert done.returncode == 0, done.stderr
    assert "the model gave no summary: " in done.stderr
    entries = fields(tmp_path / "rows_compressed.jsonl")[0]["conversations"]
    assert any("called f(" in entry["value"] for entry in entries)


@pytest.mark.parametrize(
    ("text", "problem"),
    [("compression: [", "not YAML"), ("kompression: {}", "unknown section")],
)
def test_bad_settings_are_reported(run_cli, rows, tmp_path, text, problem):
    config = tmp_path / "c.yaml"
    config.write_text(text)
    done = run_cli("compress", rows, "--config", config)
    assert done.code == 2
    assert problem in done.err


@pytest.mark.model
def test_tokens_are_counted_with_the_tokenizer_of_the_given_model(workbench, rows, tmp_path):
    done = workbench("compress", rows, "--tokens", 3000, "--tokenizer", "embedded")
    assert done.returncode == 0, done.stderr
    by_model = json.loads((tmp_path / "compression_metrics.json").read_text())["tokens"]["total_before"]
    assert workbench("compress", rows, "--tokens", 3000).returncode == 0
    by_rule = json.loads((tmp_path / "compression_metrics.json").read_text())["tokens"]["total_before"]
    assert by_model != by_rule
