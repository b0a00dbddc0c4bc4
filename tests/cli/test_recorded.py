"""Every command gives what it gave before the package was restructured."""

import json

import pytest

from tests.cli.recorded import OUTPUTS, play, steps

pytestmark = pytest.mark.slow

RENAMED = {"seed 000": "l3m-backend", "seed 001": "Hermes-FC", "seed 002": "Stella guide"}
"""Rules of `workbench differ` that have got names since the recording."""


def test_the_commands_give_what_was_recorded(workbench, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    recorded = json.loads(OUTPUTS.read_text())
    for rule in recorded["differ-json"]["out"][0]["rules"]:
        rule["rule"] = RENAMED.get(rule["rule"], rule["rule"])
    found = dict(play(workbench, out))
    assert list(found) == list(recorded)
    assert [name for name in recorded if found[name] != recorded[name]] == []


def test_every_command_is_recorded():
    from workbench.cli.app import COMMANDS

    needs_a_person_or_a_network = {"serve", "auth", "train", "heldout"}
    assert {step["run"][0] for step in steps()} >= COMMANDS.keys() - needs_a_person_or_a_network
