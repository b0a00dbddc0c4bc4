"""Reports about a single row: numbers and nouns agree."""

import re

import pytest

from tests.cli.test_check import lines
from tests.trajectory.validate.rows import SHAREGPT

WRONG = re.compile(r"\b1 (?:\w+ )?(?:rows|files|messages|sessions|warnings|errors|tokens|calls)\b")


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "one.jsonl"],
        ["check", "one.jsonl", "--fix-out", "fixed.jsonl"],
        ["check", "broken.jsonl"],
        ["convert", "one.jsonl", "--out", "out.jsonl", "--to", "openai"],
        ["convert", "broken.jsonl", "--out", "out.jsonl", "--to", "openai"],
        ["compress", "one.jsonl", "--tokens", 1500],
        ["stats", "one.jsonl"],
        ["import", "one.jsonl"],
        ["export", "--out", "out.jsonl"],
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_one_row_is_not_counted_in_the_plural(run_cli, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    lines(tmp_path / "one.jsonl", SHAREGPT)
    lines(tmp_path / "broken.jsonl", "{")
    if arguments[0] == "export":
        run_cli("import", "one.jsonl")
    done = run_cli(*arguments)
    assert re.search(r"\b1 \w", done.out + done.err)
    assert not WRONG.search(done.out + done.err)
