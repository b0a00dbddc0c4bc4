"""Command-line options for sampling fields, made from their declarations."""

from typing import Any

import typer

from workbench.rollout.sampling import SAMPLING_FIELDS, number_range


def sampling_option(
    name: str, help: str = "", *, has_most: bool = False, show_default: bool | str = True
) -> Any:
    """Return the option for a numeric sampling field.

    Args:
        help: Replaces the help text of the field.
        has_most: Whether values above the range of the page are refused.
        show_default: The default to show in the help, if the parameter does not have it.
    """
    allowed = number_range(name)
    number = int if allowed.step is None else float
    return typer.Option(
        min=number(allowed.least),
        max=number(allowed.most) if has_most else None,
        help=help or SAMPLING_FIELDS[name].help,
        show_default=show_default,
    )


def repeatable_option(name: str) -> Any:
    """Return the option for a list of values of a sampling field."""
    declared = SAMPLING_FIELDS[name]
    return sampling_option(
        name, f"{declared.help}; repeatable", has_most=True, show_default=f"{declared.default:g}"
    )
