"""Families without a published template, and our sane variants, render the corpus as in the golden files.

`WRITE_GOLDEN=1 pytest tests/hermes/test_render_golden.py` writes the files again. Check the difference before you commit.
"""

import os
from pathlib import Path

import pytest

from tests.hermes.corpus_rows import ROWS, Row, rendered

GOLDEN = Path(__file__).parents[1] / "golden" / "prompts"
FAMILIES = ("nous-python", "hermes-array", "hermes-lines", "hermes-3-sane", "qwen2.5-sane")
CONVERSATIONS = [row for row in ROWS if row["family"] == "hermes-3"]


@pytest.mark.parametrize("row", CONVERSATIONS, ids=lambda row: row["case"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_prompt_equals_the_golden_file(family: str, row: Row) -> None:
    path = GOLDEN / family / f"{row['case']}.txt"
    prompt = rendered(row, family=family)
    if os.environ.get("WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(prompt.text.encode())
    assert prompt.text.encode() == path.read_bytes()
    assert prompt.findings == ()


def test_each_golden_file_is_used() -> None:
    expected = {f"{family}/{row['case']}.txt" for family in FAMILIES for row in CONVERSATIONS}
    assert {path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*.txt")} == expected
