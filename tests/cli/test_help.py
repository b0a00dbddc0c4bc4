"""The help texts follow one style: a summary on one line, types as words, options without a final period."""

import re

import pytest
import typer

from workbench.cli.app import COMMANDS, build_app
from workbench.cli.terminal.help_text import PlainHelpCommand
from workbench.cli.terminal.short_options import SHORT


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


def options():
    """Yield the words of each command with each of its options."""
    for words, command in ALL.items():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                yield words, parameter


def test_every_short_form_means_the_same_in_every_command():
    long_forms = {}
    for words, option in options():
        for short in [name for name in option.opts if re.fullmatch("-[A-Za-z]", name)]:
            (long,) = [name for name in option.opts if name in {*SHORT, "--version"}]
            assert long_forms.setdefault(short, long) == long, words
    assert {long: short for short, long in long_forms.items()} == {**SHORT, "--version": "-V"}


def test_every_command_has_the_common_short_forms():
    for words, option in options():
        for long in set(option.opts) & set(SHORT):
            assert SHORT[long] in option.opts, (words, long)


def test_json_has_one_wording():
    found = {option.help for _, option in options() if "--json" in option.opts}
    assert found == {"Print JSON and nothing else"}


@pytest.mark.parametrize(
    "words",
    [
        ("chat",), ("run",), ("runs", "report"), ("doctor",), ("push",), ("receipt",), ("synth",), ("check",), ("convert",),
        ("stats",), ("heldout",), ("export",), ("import",), ("search",), ("compare",), ("parse",), ("differ",),
    ],
)  # fmt: skip
def test_commands_that_report_have_json(words):
    assert any("--json" in parameter.opts for parameter in ALL[words].params)


def test_names_of_values_are_written_in_one_style():
    for words, command in ALL.items():
        for parameter in command.params:
            if parameter.metavar:
                assert re.fullmatch(r"[A-Z][A-Z/|=,…\[\] ]*", parameter.metavar), (words, parameter.metavar)


@pytest.mark.parametrize("words", [(), ("chat",), ("versions", "diff")])
def test_h_shows_the_help(run_cli, words):
    short, long = run_cli(*words, "-h"), run_cli(*words, "--help")
    assert short.code == 0
    assert short.out == long.out
    assert f"Usage: {' '.join(('workbench', *words))}" in short.out


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("workbench cha", ["chat"]),
        ("workbench models p", ["pull"]),
        ("workbench chat --con", ["--contract"]),
        ("workbench chat hi -c min", ["minimal"]),
        ("workbench chat hi --tools nonse", ["nonsense"]),
        ("workbench chat hi --tools get_flum", ["get_flumbuster"]),
        ("workbench run --model emb", ["embedded", "embedded+bare"]),
        ("workbench convert rows.jsonl --to tr", ["trl"]),
        ("workbench render --family qwen3-c", ["qwen3-coder"]),
    ],
)
def test_a_shell_completes_commands_options_and_values(workbench, line, offered):
    words = line.split()
    done = workbench(_WORKBENCH_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert done.stdout.split() == offered, done.stderr


def test_completion_of_values_says_nothing_when_they_cannot_be_read(workbench):
    done = workbench(
        _WORKBENCH_COMPLETE="complete_bash", COMP_WORDS="workbench chat --preset f", COMP_CWORD="3",
        WORKBENCH_DATABASE_URL="sqlite:////proc/none/x.sqlite3",
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_the_completion_can_be_shown_for_installing(workbench):
    done = workbench("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 0
    assert "_WORKBENCH_COMPLETE" in done.stdout


@pytest.mark.parametrize("command", ["serve", "gateway"])
def test_a_port_that_does_not_exist_is_wrong_usage(run_cli, command):
    done = run_cli(command, "--port", "99999")
    assert done.code == 2
    assert "'--port': Input should be less than or equal to 65535" in done.err
    assert "Traceback" not in done.err
