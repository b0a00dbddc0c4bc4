"""Words of a shell command: literal text, and what only the shell can fill in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, Literal, NamedTuple

UNKNOWN: Final = "\0"
"""Stands in a word's text for a part that is only known when the command runs."""
_MOST_ALTERNATIVES: Final = 64
_GLOB_SIGNS: Final = frozenset("*?[")
_BRACES: Final = re.compile(r"\{([^{}]*(?:,|\.\.)[^{}]*)\}")
_RANGE: Final = re.compile(r"(\d{1,4}|[a-z])\.\.(\d{1,4}|[a-z])")
_KNOWN_VARIABLES: Final = {"HOME": "~", "PWD": "."}

PieceKind = Literal["quoted", "plain", "variable", "quoted variable", "unknown"]


class Piece(NamedTuple):
    """A part of a word."""

    kind: PieceKind
    text: str
    """Without quotes and escapes; the name of a variable."""


RawWord = tuple[Piece, ...]
"""A word as it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word as a program may get it."""

    text: str
    """With `UNKNOWN` for each part that is not known."""
    is_fixed: bool = True
    """True if the program gets exactly this one text."""
    has_glob: bool = False
    """True if the shell replaces it by the files that match."""

    @property
    def is_known(self) -> bool:
        """False if a part is only known when the command runs."""
        return UNKNOWN not in self.text

    @property
    def may_be_option(self) -> bool:
        """Whether it can begin with a dash, as far as is known: `*` may match a file `-x`."""
        return self.text[:1] in ("-", UNKNOWN) or (self.has_glob and self.text[:1] in _GLOB_SIGNS)


def resolve(raw: RawWord, bindings: Mapping[str, Sequence[RawWord]]) -> tuple[Word, ...]:
    """All texts that a word can come to: one for each alternative of its variables and braces.

    Args:
        raw: The word.
        bindings: What the script assigns to its variables.
    """
    alternatives = [tuple(_alternatives(piece, bindings)) for piece in raw]
    count = 1
    for choices in alternatives:
        count *= len(choices)
    if count > _MOST_ALTERNATIVES:
        return (Word(text=UNKNOWN, is_fixed=False),)
    words = (_joined(raw, choice) for choice in product(*alternatives))
    return tuple(expanded for word in words for expanded in _braced(raw, word))


def _alternatives(piece: Piece, bindings: Mapping[str, Sequence[RawWord]]) -> Iterator[Word]:
    if piece.kind == "quoted":
        yield Word(text=piece.text)
    elif piece.kind == "plain":
        yield Word(text=piece.text, has_glob=bool(_GLOB_SIGNS & set(piece.text)))
    elif piece.kind == "unknown":
        yield Word(text=UNKNOWN, is_fixed=False)
    elif piece.text in _KNOWN_VARIABLES:
        yield Word(text=_KNOWN_VARIABLES[piece.text], is_fixed=False)
    elif piece.text not in bindings:
        yield Word(text=UNKNOWN, is_fixed=False)
    else:
        # A value that holds variables itself is not followed further.
        for raw in bindings[piece.text]:
            for word in resolve(raw, {}):
                is_split = piece.kind == "variable" and (not word.text or bool(re.search(r"\s", word.text)))
                yield replace(word, text=UNKNOWN if is_split else word.text, is_fixed=False)


def _joined(raw: RawWord, choice: Sequence[Word]) -> Word:
    return Word(
        text="".join(word.text for word in choice),
        is_fixed=all(word.is_fixed for word in choice) and not any(word.has_glob for word in choice),
        has_glob=any(word.has_glob for word in choice),
    )


def _braced(raw: RawWord, word: Word) -> Iterator[Word]:
    """The words of a brace expansion, and the word as it is: not every shell expands braces."""
    plain = "".join(piece.text if piece.kind == "plain" else "\1" for piece in raw)
    if not (found := _BRACES.search(plain)):
        yield word
        return
    match = _BRACES.search(word.text)
    if match is None or len(_BRACES.findall(word.text)) > 1 or match.group() != found.group():
        yield Word(text=UNKNOWN, is_fixed=False)
        return
    yield replace(word, is_fixed=False)
    ends = _RANGE.fullmatch(match.group(1))
    parts = ends.groups() if ends else match.group(1).split(",")
    for part in parts:
        text = word.text[: match.start()] + part + word.text[match.end() :]
        yield replace(word, text=text if ends or "," in match.group(1) else UNKNOWN, is_fixed=False)
