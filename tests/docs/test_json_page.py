"""The page about JSON lists every command with `--json`, with the keys that it prints."""

import json
import re

from tests.cli.recorded import OUTPUTS, steps
from tests.cli.test_help import ALL
from tests.docs.test_docs import DOCS, read
from workbench.cli.terminal.short_options import SHORT

ROWS = {
    command: re.findall(r"`(\w+)`", keys)
    for command, keys in re.findall(
        r"^\| `([a-z -]+)` \| (.*) \|$", read(DOCS / "reference/json.md"), re.MULTILINE
    )
}


def test_every_command_with_json_is_listed():
    commands = {
        " ".join(words)
        for words, command in ALL.items()
        if any("--json" in parameter.opts for parameter in command.params)
    }
    assert {command for command in ROWS if "--" not in command} == commands


def test_the_recorded_outputs_have_the_listed_keys():
    outputs = json.loads(OUTPUTS.read_text())
    checked = set()
    for step in steps():
        run = step["run"]
        command = next(filter(ROWS.__contains__, (" ".join(run[:size]) for size in (3, 2, 1))), run[0])
        command = f"{command} --mask" if "--mask" in run else command
        if "--json" in run or run[-3:-1] == ["-", "--at-once"]:
            for value in outputs[step["name"]]["out"]:
                assert list(value) == ROWS[command], step["name"]
            checked.add(command)
    assert len(checked) > 30


def test_the_table_of_short_options_is_that_of_the_code():
    table = dict(
        re.findall(r"^\| `(-[A-Za-z])` \| `(--[a-z]+)` \|", read(DOCS / "reference/cli.md"), re.MULTILINE)
    )
    assert table == {"-h": "--help", "-V": "--version", **{short: long for long, short in SHORT.items()}}
