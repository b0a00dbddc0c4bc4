"""Write the types of options in `--help` as words: `--tools TEXT`, not `--tools <list[str]>`."""

import re
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from workbench.cli.terminal.completion import add_completion
from workbench.cli.terminal.short_options import add_short_form

_PYTHON_TYPE: Final = re.compile(r" <(?:list\[)?(.+?)(?: range)?\]?>$")
"""The type that Typer prints after an option or an argument, such as ` <list[int range]>`."""
_WORDS: Final = {"str": "TEXT", "int": "INTEGER", "float": "NUMBER", "file": "FILE", "path": "FILE"}


class PlainHelpGroup(TyperGroup):
    """A group whose help writes its own options without a period, as all other options."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options, of which Typer's own end in a period."""
        return [_without_period(parameter) for parameter in super().get_params(ctx)]

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option `--help`."""
        return _without_period(super().get_help_option(ctx))


class PlainHelpCommand(TyperCommand):
    """A command whose help says `TEXT`, `INTEGER`, `DATE` or the choices, and leaves arguments without braces.

    Options that several commands share have one short form, and a shell completes their values.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for parameter in self.params:
            add_short_form(parameter)
            add_completion(parameter)

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option `--help`."""
        return _without_period(super().get_help_option(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage line as words, with `{NAME}` written as `NAME`."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the lists of arguments and options."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            records = [
                (_with_words(record[0], is_argument=kind == "argument"), record[1])
                for parameter in self.get_params(ctx)
                if parameter.param_type_name == kind and (record := parameter.get_help_record(ctx))
            ]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _without_period(option: Any) -> Any:
    if option is not None and option.help:
        option.help = option.help.rstrip(".")
    return option


def _with_words(name: str, *, is_argument: bool) -> str:
    """Return the left column of one line, with words for the type.

    >>> _with_words("--tools <list[str]>", is_argument=False)
    '--tools TEXT'
    >>> _with_words("--level <strict|tolerant>", is_argument=False)
    '--level [strict|tolerant]'
    >>> _with_words("FILE <str>", is_argument=True)
    'FILE'
    """
    found = _PYTHON_TYPE.search(name)
    if not found:
        return name
    type_name = found[1]
    choices = f"[{type_name}]" if "|" in type_name else type_name.upper()
    word = "DATE" if type_name.startswith("%Y") else _WORDS.get(type_name, choices)
    is_named = is_argument and "|" not in type_name
    return name[: found.start()] + ("" if is_named else f" {word}")


def use_plain_help(app: typer.Typer) -> None:
    """Make every command of `app` and of its groups a `PlainHelpCommand`, and every group a `PlainHelpGroup`."""
    app.info.cls = PlainHelpGroup
    for command in app.registered_commands:
        command.cls = PlainHelpCommand
    for group in app.registered_groups:
        if group.typer_instance:
            use_plain_help(group.typer_instance)
