"""Run codespell with the phrases of scripts/wording.txt: words and phrases that our texts do not use.

codespell looks words up in a dictionary. Here the words that it looks for are the phrases themselves, so that
"stands at" can be an entry. The match is case-sensitive except for the first letter, so that `x is None` in Python
is not "is none". Underscores end a word: a local variable `told_rows` is found too.
"""

import re
import subprocess
import sys
from pathlib import Path

import codespell_lib

DICTIONARY = Path(__file__).with_name("wording.txt")
ALLOWED = (
    # good English
    "stands for", "stands out", "stands in for", "there is no", "there is none", "there are no", "there are none",
    "`told`", "(?:told", "|tells", "self.told", "- told:", "told: str",
    "expectation.told", "needs.told", "_told", '"told":', '"told",',
    "is no longer", "are no longer", "are no more than", "tells the model",
    # names that files, addresses and programs keep
    "calls_told", "calls-told", "tools-told", "tools_told", "card.plays", "plays: int", "plays=len", "suites-plays",
    "hw-plays", '"setup plays"', '"plays")', "compare-former", "hermes-stands-on-toolspec",
    "a-correction-stands-beside",
    '"mended', "`mended`", "fdisk|parted", "grid-area: plays", "Tells the weather", "the result is no real number",
    "that is no arithmetic expression", '"parted",',
)  # fmt: skip
"""Phrases that contain an entry all the same."""
NOT_OURS = re.compile(
    r"LICENSE$|.*\.jsonl$|tests/(?:corpus|golden)/|prompts/|tools_catalog/|typings/|workbench/training/(?:synth|everyday/families)/"
    r"|workbench/toolbox/agent_tools\.py$|workbench/suite/case_rollout\.py$|scripts/(?:wording|check_wording)\.|tests/docs/test_wording\.py$"
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


def tracked_files() -> list[str]:
    """Return the files of the checkout that hold our texts."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        sys.exit(f"check_wording needs a git checkout: {listed.stderr.strip()}")
    return [path for path in listed.stdout.splitlines() if not NOT_OURS.match(path) and Path(path).is_file()]


def main(paths: list[str]) -> int:
    """Check files; return the number of findings."""
    phrases = [line.split("->")[0] for line in DICTIONARY.read_text(encoding="utf-8").splitlines()]
    return codespell_lib.main("-D", str(DICTIONARY), "--regex", pattern(phrases), *paths)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:] or tracked_files()), 1))
