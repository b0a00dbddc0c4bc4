"""Short forms of the options that are typed most. Each means the same in every command."""

from typing import Any, Final

SHORT: Final = {
    "--contract": "-c",
    "--format": "-f",
    "--jobs": "-j",
    "--limit": "-n",
    "--model": "-m",
    "--out": "-o",
    "--port": "-p",
    "--session": "-s",
    "--tools": "-t",
}
"""By the long form. `-h` is `--help`, and `-V` is `--version`."""


def add_short_form(parameter: Any) -> None:
    """Add the short form of an option in front of its names."""
    for name in tuple(getattr(parameter, "opts", ())):
        short = SHORT.get(name)
        if short and short not in parameter.opts:
            parameter.opts.insert(0, short)
