"""Whether a command may run unasked, and if not, why."""

from dataclasses import dataclass
from typing import Final

from workbench.toolbox.approval.allowed import doubts_of
from workbench.toolbox.approval.categories import categories
from workbench.toolbox.approval.doubt import Doubt
from workbench.toolbox.approval.hardline import hardline_reason
from workbench.toolbox.approval.loose import loose_commands, undisguised
from workbench.toolbox.approval.place import Place
from workbench.toolbox.approval.shell.characters import MAX_COMMAND_CHARS
from workbench.toolbox.approval.shell.reading import read_script

EXACT_PREFIX: Final = "exactly: "
"""Begins what is remembered of a command that may only be repeated as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """What a command was found to be."""

    hardline: str = ""
    """Why it may never run; empty if it may run once it is allowed."""
    categories: tuple[str, ...] = ()
    """Why a person should decide, for that person; empty if nobody needs to be asked."""
    keys: tuple[str, ...] = ()
    """What an answer for longer than once is remembered by; all of them must be allowed.

    Either short, such as `rm: recursive delete`, or the whole command after `EXACT_PREFIX`.
    """

    @property
    def is_familiar(self) -> bool:
        """Whether the command is of a kind that a short key describes."""
        return bool(self.keys) and not any(key.startswith(EXACT_PREFIX) for key in self.keys)


def detect(command: str, place: Place = Place()) -> Danger:
    """Whether a shell command may run unasked: only if all of it is on the list of what may.

    Args:
        command: A text for `sh`.
        place: Where it runs; the default is an environment in which it can do no harm outside its folder.

    >>> detect("ls -l | wc -l").categories
    ()
    >>> detect("rm -r build").categories
    ('recursive delete',)
    >>> detect("nice make-me-a-sandwich").categories
    ('unknown program (make-me-a-sandwich)',)
    >>> detect("sudo rm -rf /").hardline
    'delete of the root, a system folder or the home folder'
    """
    if len(command) > MAX_COMMAND_CHARS:
        return Danger(
            hardline=f"a command of more than {MAX_COMMAND_CHARS} characters: write long texts to files"
        )
    doubts = doubts_of(read_script(command), place)
    if not doubts:
        return Danger()
    if all(doubt.key for doubt in doubts):
        return Danger(
            categories=tuple(dict.fromkeys(doubt.reason for doubt in doubts)),
            keys=tuple(dict.fromkeys(doubt.key for doubt in doubts)),
        )
    return _explained(command, doubts, place)


def _explained(command: str, doubts: list[Doubt], place: Place) -> Danger:
    text = undisguised(command)
    found = tuple(loose_commands(text))
    shown = (f"{doubt.reason} ({doubt.detail})" if doubt.detail else doubt.reason for doubt in doubts)
    named = categories(text, found)
    return Danger(
        hardline=hardline_reason(text, found),
        categories=tuple(dict.fromkeys((*named, *shown))),
        keys=(EXACT_PREFIX + (f"in {place.folder}: " if place.folder else "") + command,),
    )
