"""Words, redirections and commands of shell text, and the texts that a word can become when the shell runs it."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, Literal, NamedTuple

MAX_COMMAND_CHARS: Final = 50_000
"""Longest command that is parsed."""
_MOST_SIGNS: Final = 3_000
"""Most occurrences of the characters for which the grammar's time grows with the square of their number."""
_NAME: Final = re.compile(
    r"(?!.*(?:PATH|IFS|ENV|SHELL|BASH|PAGER|EDIT|VISUAL|RSH|SSH|EXEC|COMMAND|OPEN|PRELOAD|HOME|PWD|DIR|TMP|OPT|STARTUP|HOOK|LANG"
    r"|^LC_|TERM|^PS\d|^GIT|POSIX|PROMPT|BROWSER|^LD_|^DYLD|FLAGS|path|argv|histchars))[A-Za-z][A-Za-z0-9_]{0,40}"
)
"""Variable names that a script may set, because no known shell or program gives them a special meaning."""


def is_plain_name(name: str) -> bool:
    """Whether a variable may be set without changing what later commands do.

    >>> [is_plain_name(name) for name in ("count", "PATH", "LD_PRELOAD")]
    [True, False, False]
    """
    return _NAME.fullmatch(name) is not None


def character_problem(text: str) -> str:
    """Return what is wrong with the characters of a command, or an empty text.

    Invisible characters and control characters can make a command look different from what a shell runs.
    """
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


UNKNOWN: Final = "\0"
"""Replaces a part of a word that is only known when the command runs."""
_MOST_ALTERNATIVES: Final = 64
_GLOB_SIGNS: Final = frozenset("*?[")
_BRACES: Final = re.compile(r"\{([^{}]*(?:,|\.\.)[^{}]*)\}")
_RANGE: Final = re.compile(r"(\d{1,4}|[a-z])\.\.(\d{1,4}|[a-z])")
_KNOWN_VARIABLES: Final = {"HOME": "~", "PWD": "."}

PieceKind = Literal["quoted", "plain", "variable", "quoted variable", "unknown"]


class WordPiece(NamedTuple):
    """A part of a word."""

    kind: PieceKind
    text: str
    """Text without quotes and escapes, or the name of a variable."""


RawWord = tuple[WordPiece, ...]
"""A word as it is written, as a sequence of pieces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellWord:
    """A text that a program may get for a word."""

    text: str
    """Contains `UNKNOWN` for each part that is not known."""
    is_fixed: bool = True
    """True if the program gets exactly this text."""
    has_glob: bool = False
    """True if the shell replaces it by the names of matching files."""

    @property
    def is_known(self) -> bool:
        """Whether all parts are known before the command runs."""
        return UNKNOWN not in self.text

    @property
    def may_be_option(self) -> bool:
        """Whether the word may begin with a dash. `*` may, because it can match a file named `-x`."""
        return self.text[:1] in ("-", UNKNOWN) or (self.has_glob and self.text[:1] in _GLOB_SIGNS)


def resolve(raw: RawWord, bindings: Mapping[str, Sequence[RawWord]]) -> tuple[ShellWord, ...]:
    """Return all texts that a word can become, one for each combination of values of its variables and braces.

    With `for f in a b`, the word `$f.txt` becomes `a.txt` and `b.txt`. If there are too many combinations, the whole
    word is `UNKNOWN`.

    Args:
        bindings: All values that the script assigns to each of its variables.
    """
    alternatives = [tuple(_alternatives(piece, bindings)) for piece in raw]
    count = 1
    for choices in alternatives:
        count *= len(choices)
    if count > _MOST_ALTERNATIVES:
        return (ShellWord(text=UNKNOWN, is_fixed=False),)
    words = (_joined(raw, choice) for choice in product(*alternatives))
    return tuple(expanded for word in words for expanded in _braced(raw, word))


def _alternatives(piece: WordPiece, bindings: Mapping[str, Sequence[RawWord]]) -> Iterator[ShellWord]:
    if piece.kind == "quoted":
        yield ShellWord(text=piece.text)
    elif piece.kind == "plain":
        yield ShellWord(text=piece.text, has_glob=bool(_GLOB_SIGNS & set(piece.text)))
    elif piece.kind == "unknown":
        yield ShellWord(text=UNKNOWN, is_fixed=False)
    elif piece.text in _KNOWN_VARIABLES:
        yield ShellWord(text=_KNOWN_VARIABLES[piece.text], is_fixed=False)
    elif piece.text not in bindings:
        yield ShellWord(text=UNKNOWN, is_fixed=False)
    else:
        # Variables inside of a value are not resolved; they become UNKNOWN.
        for raw in bindings[piece.text]:
            for word in resolve(raw, {}):
                is_split = piece.kind == "variable" and (not word.text or bool(re.search(r"\s", word.text)))
                yield replace(word, text=UNKNOWN if is_split else word.text, is_fixed=False)


def _joined(raw: RawWord, choice: Sequence[ShellWord]) -> ShellWord:
    return ShellWord(
        text="".join(word.text for word in choice),
        is_fixed=all(word.is_fixed for word in choice) and not any(word.has_glob for word in choice),
        has_glob=any(word.has_glob for word in choice),
    )


def _braced(raw: RawWord, word: ShellWord) -> Iterator[ShellWord]:
    """Yield the words of a brace expansion, and also the unexpanded word, because not every shell expands braces."""
    plain = "".join(piece.text if piece.kind == "plain" else "\1" for piece in raw)
    if not (braces := _BRACES.search(plain)):
        yield word
        return
    match = _BRACES.search(word.text)
    if match is None or len(_BRACES.findall(word.text)) > 1 or match.group() != braces.group():
        yield ShellWord(text=UNKNOWN, is_fixed=False)
        return
    yield replace(word, is_fixed=False)
    ends = _RANGE.fullmatch(match.group(1))
    parts = ends.groups() if ends else match.group(1).split(",")
    for part in parts:
        text = word.text[: match.start()] + part + word.text[match.end() :]
        yield replace(word, text=text if ends or "," in match.group(1) else UNKNOWN, is_fixed=False)


class Redirection(NamedTuple):
    """A redirection of a command's input or output."""

    operator: str
    """`>`, `>>`, `<`, `&>` or `<<`."""
    target: RawWord
    """The file. Empty for a here-document."""


class VariableAssignment(NamedTuple):
    """A variable that is set for one command, or exported for the rest of the script."""

    name: str
    value: RawWord


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program or a shell builtin with its arguments."""

    words: tuple[RawWord, ...]
    """The program first. Empty if there are only redirections or assignments."""
    redirections: tuple[Redirection, ...] = ()
    assignments: tuple[VariableAssignment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellScript:
    """All commands of a script, including those inside of substitutions and loops."""

    commands: tuple[Command, ...] = ()
    """In the order in which they begin in the text."""
    bindings: Mapping[str, Sequence[RawWord]] = field(
        default_factory=dict[str, Sequence[RawWord]], hash=False
    )
    """All values that the script assigns to each of its variables."""
    problem: str = ""
    """Why the text cannot be checked. Empty if all of it was parsed."""


def plain_pieces(text: str) -> Iterator[WordPiece]:
    """Split an unquoted word into pieces. A backslash quotes the next character, as in `a\\ b`."""
    for match in re.finditer(r"\\(.)|([^\\]+)", text, re.DOTALL):
        yield WordPiece("quoted", match.group(1)) if match.group(1) else WordPiece("plain", match.group(2))


def unescaped(text: str) -> str:
    """Decode text inside of double quotes.

    *Source:* https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html, 2.2.3
    """
    return re.sub(r"\\([$`\"\\])|\\\n", lambda match: match.group(1) or "", text)


COMPOUND: Final[dict[str, frozenset[str]]] = {
    "program": frozenset({";", "\n"}),
    "list": frozenset({"&&", "||"}),
    "pipeline": frozenset({"|"}),
    "negated_command": frozenset({"!"}),
    "subshell": frozenset({"(", ")", ";", "\n"}),
    "compound_statement": frozenset({"{", "}", ";", "\n"}),
    "do_group": frozenset({"do", "done", ";", "\n"}),
    "if_statement": frozenset({"if", "then", "fi", ";", "\n"}),
    "elif_clause": frozenset({"elif", "then", ";", "\n"}),
    "else_clause": frozenset({"else", ";", "\n"}),
    "while_statement": frozenset({"while", "until", ";", "\n"}),
}
"""Kinds of nodes that only contain commands, with the operators and keywords that may be in them."""
