"""In a folder whose `prompts/` has no contracts, commands say so and what to do."""

import pytest


@pytest.mark.parametrize(
    "arguments",
    [
        ["synth", "--count", "3", "--out", "rows.jsonl"],
        ["chat", "hello", "--model", "scripted:demo"],
        ["run", "a.yaml", "--model", "scripted:demo"],
    ],
)
def test_a_folder_of_other_prompts_is_named(run_cli, monkeypatch, tmp_path, arguments):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "a.yaml").write_text("suite: a\ncases:\n- id: b\n  prompt: c\n  expect: [{asks: true}]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    done = run_cli(*arguments)
    assert done.code == 2
    assert "no such contract (the folder prompts/ here has no contracts; start in another folder" in done.err
