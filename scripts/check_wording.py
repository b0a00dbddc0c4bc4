"""Run codespell with the phrases of scripts/wording.txt: words and phrases that our texts do not use.

codespell looks words up in a dictionary. Here the words that it looks for are the phrases themselves, so that
"stands at" can be an entry. The match is case-sensitive except for the first letter, so that `x is None` in Python
is not "is none". Underscores end a word: a local variable `told_rows` is found too.
"""

import re
import sys
from pathlib import Path

import codespell_lib

DICTIONARY = Path(__file__).with_name("wording.txt")
ALLOWED = (
    "stands for",
    "stands out",
    "there is no",
    "is no longer",
    "there are no",
    "are no longer",
    "are no more than",
)
"""Phrases that contain an entry and are good English."""
NOT_OURS = (
    "LICENSE,*.jsonl,*.lock,.git,.venv,node_modules,data,artifacts,"
    "tests/corpus,tests/golden,prompts,tools_catalog,workbench/training/synth,scripts/wording.txt,"
    "tests/docs/test_wording.py,typings"
)
"""What a model reads or wrote, what others wrote, and this check."""


def pattern(phrases: list[str]) -> str:
    """Return a regular expression that matches each phrase as a whole, longest first."""
    longest_first = sorted([*ALLOWED, *phrases], key=len, reverse=True)
    return f"(?<![A-Za-z])(?:{'|'.join(map(_spelled, longest_first))})(?![A-Za-z])"


def _spelled(phrase: str) -> str:
    if phrase.startswith('"'):  # the beginning of a docstring
        return f"(?i:{re.escape(phrase)})"
    return f"[{phrase[0].upper()}{phrase[0]}]{re.escape(phrase[1:])}"


def main(paths: list[str]) -> int:
    """Check files and folders; return the number of findings."""
    phrases = [line.split("->")[0] for line in DICTIONARY.read_text(encoding="utf-8").splitlines()]
    return codespell_lib.main(
        "-D", str(DICTIONARY), "--regex", pattern(phrases), "--skip", NOT_OURS, *paths
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:] or ["."]), 1))
