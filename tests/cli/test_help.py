"""The help texts follow one style: a summary on one line, types as words, options without a final period."""

import pytest
import typer

from workbench.cli.app import COMMANDS, build_app
from workbench.cli.terminal.help_text import PlainHelpCommand


def commands():
    """Yield the words of each command and the command, in any order."""
    found = [((), typer.main.get_command(build_app()))]
    while found:
        words, command = found.pop()
        yield words, command
        found += [((*words, name), sub) for name, sub in getattr(command, "commands", {}).items()]


ALL = dict(commands())


def help_of(words):
    context = typer.Context(ALL[words], info_name="workbench")
    return ALL[words].get_help(context)


def test_every_command_uses_the_plain_help():
    for words, command in ALL.items():
        assert hasattr(command, "commands") or isinstance(command, PlainHelpCommand), words


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_shows_types_as_words(words):
    text = help_of(words)
    options = text.split("Options:")[1].split("Commands:")[0]
    for python_type in ("<list", "<str", "<int", "<float", "<path", " range>"):
        assert python_type not in options, options
    assert "{" not in text.splitlines()[0]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_of_options_has_no_final_period(words):
    for parameter in ALL[words].params:
        assert parameter.help, parameter.name
        assert not parameter.help.endswith("."), parameter.help


@pytest.mark.parametrize("words", [words for words in ALL if words], ids=" ".join)
def test_the_summary_fits_into_the_list_of_commands(words):
    group = help_of(words[:-1])
    line = next(line for line in group.split("Commands:")[1].splitlines() if line.split()[:1] == [words[-1]])
    assert line.endswith(".") and not line.endswith("..."), line


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_begins_with_its_summary(name):
    assert f"\n  {COMMANDS[name].summary}" in help_of((name,))
