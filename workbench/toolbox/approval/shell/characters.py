"""Characters and names that a command may hold."""

import re
import unicodedata
from typing import Final

MAX_COMMAND_CHARS: Final = 50_000
"""A longer command is not read."""
_MOST_SIGNS: Final = 3_000
"""Of the signs for which the grammar's time grows with the square of their number."""
_NAME: Final = re.compile(
    r"(?!.*(?:PATH|IFS|ENV|SHELL|BASH|PAGER|EDIT|VISUAL|RSH|SSH|EXEC|COMMAND|OPEN|PRELOAD|HOME|PWD|DIR|TMP|OPT|STARTUP|HOOK|LANG"
    r"|^LC_|TERM|^PS\d|^GIT|POSIX|PROMPT|BROWSER|^LD_|^DYLD|FLAGS|path|argv|histchars))[A-Za-z][A-Za-z0-9_]{0,40}"
)
"""Names that a script may set: no shell and no program gives them a meaning of its own, as far as can be told."""


def is_plain_name(name: str) -> bool:
    """Whether a variable may be set without changing what later commands do.

    >>> [is_plain_name(name) for name in ("count", "PATH", "LD_PRELOAD")]
    [True, False, False]
    """
    return _NAME.fullmatch(name) is not None


def character_problem(text: str) -> str:
    """What is wrong with a text's characters: they may look like others, or be read differently by shells."""
    if len(text) > MAX_COMMAND_CHARS:
        return f"a command of more than {MAX_COMMAND_CHARS} characters"
    if sum(map(text.count, "|<>(")) > _MOST_SIGNS:
        return f"more than {_MOST_SIGNS} pipes, redirections and parentheses"
    for character in set(text):
        if character not in "\n\t " and unicodedata.category(character) in (
            "Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp",
        ):  # fmt: skip
            return f"invisible or control character U+{ord(character):04X}"
    return ""
