"""What speaks against a command."""

from dataclasses import dataclass

from workbench.toolbox.approval.categories import categories
from workbench.toolbox.approval.disguise import undisguised
from workbench.toolbox.approval.hardline import hardline_reason
from workbench.toolbox.approval.shell_words import simple_commands
from workbench.toolbox.approval.unwrapped import unwrapped


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """What a command was found to be."""

    hardline: str = ""
    """Why it may never run; empty where it may, once allowed."""
    categories: tuple[str, ...] = ()
    """Why a person should decide; empty where nobody need be asked."""


def detect(command: str) -> Danger:
    """What speaks against a shell command, whatever disguise it wears; linear in its length.

    >>> detect("ls -l").categories
    ()
    >>> detect("r''m -r build").categories
    ('recursive delete',)
    >>> detect("sudo rm -rf /").hardline
    'delete of the root, a system folder or the home folder'
    """
    text = undisguised(command)
    commands = tuple(inner for one in simple_commands(text) for inner in unwrapped(one))
    return Danger(hardline=hardline_reason(text, commands), categories=categories(text, commands))
