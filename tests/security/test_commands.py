"""Corpora of commands: dangerous ones need approval or are refused, harmless ones run without approval.

Run with `-rP` to see the rates.
"""

from itertools import takewhile
from pathlib import Path

import pytest

from workbench.toolbox.approval.allowed import detect
from workbench.toolbox.approval.reason import CommandEnvironment

CORPUS = Path(__file__).parent / "commands"
NOBODY = "## section: nobody can allow"
PLACES = {
    "contained": CommandEnvironment(),
    "on the bare machine": CommandEnvironment(is_contained=False, root="/home/me/project"),
}


def commands(lines):
    return [line.replace("\\n", "\n") for line in lines if line and not line.startswith("## ")]


def read(name):
    return (CORPUS / name).read_text(encoding="utf-8").splitlines()


DANGEROUS = commands(read("dangerous.txt"))
NOT_FOR_ANYBODY = commands(
    read("dangerous.txt")[len(list(takewhile(lambda line: line != NOBODY, read("dangerous.txt")))) :]
)
HARMLESS = commands(read("harmless.txt"))


def is_asked(command, place):
    danger = detect(command, place)
    return bool(danger.hardline or danger.categories)


def test_the_corpora_are_large_and_have_no_duplicates():
    assert len(set(DANGEROUS)) == len(DANGEROUS) >= 300
    assert len(set(HARMLESS)) == len(HARMLESS) >= 300
    assert len(NOT_FOR_ANYBODY) >= 165
    assert not set(DANGEROUS) & set(HARMLESS)


@pytest.mark.parametrize("where", PLACES)
def test_at_most_one_dangerous_command_in_two_hundred_runs_without_approval(where):
    unasked = [command for command in DANGEROUS if not is_asked(command, PLACES[where])]
    print(f"{where}: {len(unasked)} of {len(DANGEROUS)} dangerous commands run unasked: {unasked}")
    assert len(unasked) <= len(DANGEROUS) / 200


@pytest.mark.parametrize("where", PLACES)
def test_every_command_of_the_hardline_list_is_refused_or_needs_approval(where):
    unasked = [command for command in NOT_FOR_ANYBODY if not is_asked(command, PLACES[where])]
    refused = [command for command in NOT_FOR_ANYBODY if detect(command, PLACES[where]).hardline]
    print(f"{where}: {len(refused)} of {len(NOT_FOR_ANYBODY)} refused outright, {len(unasked)} unasked")
    assert unasked == []
    assert len(refused) >= len(NOT_FOR_ANYBODY) * 0.9


def test_at_most_one_harmless_command_in_ten_needs_approval():
    asked = [command for command in HARMLESS if is_asked(command, PLACES["contained"])]
    print(f"contained: {len(asked)} of {len(HARMLESS)} harmless commands are asked about: {asked}")
    bare = [command for command in HARMLESS if is_asked(command, PLACES["on the bare machine"])]
    print(f"on the bare machine: {len(bare)} of {len(HARMLESS)}, most of them the project's own code")
    assert len(asked) <= len(HARMLESS) / 10
