"""Command-line options for sampling fields, made from their declarations."""

from typing import Any

import typer

from workbench.rollout.sampling import SAMPLING_FIELDS, number_range


def sampling_option(name: str, help: str = "", *, has_most: bool = False) -> Any:
    """The option for a sampling field that is a number.

    Args:
        help: Instead of the field's own.
        has_most: Whether the command line refuses what is above the page's range.
    """
    allowed = number_range(name)
    number = int if allowed.step is None else float
    return typer.Option(
        min=number(allowed.least),
        max=number(allowed.most) if has_most else None,
        help=help or f"{SAMPLING_FIELDS[name].help}.",
    )


def repeatable_option(name: str) -> Any:
    """The option for several values of a sampling field, each of them in its range."""
    help = f"Repeatable; {SAMPLING_FIELDS[name].default:g} if left out."
    return sampling_option(name, help, has_most=True)
