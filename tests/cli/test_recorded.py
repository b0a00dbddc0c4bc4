"""The commands give the recorded outputs."""

import json

import pytest

from tests.cli.recorded import OUTPUTS, run_steps, steps

pytestmark = pytest.mark.slow


def test_the_commands_give_the_recorded_outputs(workbench, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    recorded = json.loads(OUTPUTS.read_text())
    found = dict(run_steps(workbench, out))
    assert list(found) == list(recorded)
    assert [name for name in recorded if found[name] != recorded[name]] == []


def test_every_command_is_recorded():
    from workbench.cli.app import COMMANDS

    # They need a person, a network, or the extra `train`.
    not_here = {"serve", "gateway", "auth", "train", "average", "heldout", "mask"}
    assert {step["run"][0] for step in steps()} >= COMMANDS.keys() - not_here
