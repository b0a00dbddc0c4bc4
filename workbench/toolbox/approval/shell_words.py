"""A shell's text as simple commands: words without quotes, redirections, and what is piped into what.

Single pass over the text. It is no shell: where it cannot know (variables, globs), it leaves the signs in
the words, and the rules take them as signs of danger.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_DEEPEST: Final = 6
_LONGEST_SIDE: Final = 100
_TOKEN: Final = re.compile(
    r"(?P<escape>\\.?)"
    r"|(?P<single>'[^']*+'?)"
    r'|(?P<double>"(?:[^"\\]|\\.)*+"?)'
    r"|(?P<space>[^\S\n]++)"
    r"|(?P<process>[<>]\()"
    r"|(?P<redirect>[0-9]?[<>]{1,3}+[&|]?)"
    r"|(?P<substitution>\$\()"
    r"|(?P<braces>\{[^\s{},;]*+,[^\s{};]*+\})"
    r"|(?P<variable>\$\{[^}\n]{0,200}\})"
    r"|(?P<break>\|\||&&|\|&|[;&|\n(){}`])"
    r"|(?P<comment>\#[^\n]*+)"
    r"|(?P<plain>[^\\'\"\s<>$;&|(){}`#0-9]++|.)",
    re.DOTALL,
)
"""Pieces of a shell's text; each begins where the one before ends, and none is read twice."""
_PIPES: Final = ("|", "|&")


class Redirect(NamedTuple):
    """Where a command's output or input goes."""

    sign: str
    """`>`, `>>`, `<`, `<<` or `<<<`."""
    target: str
    """The word behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleCommand:
    """One program with its arguments."""

    words: tuple[str, ...]
    """Without quotes; the program first."""
    redirects: tuple[Redirect, ...] = ()
    """In order."""
    is_piped_into: bool = False
    """True where another command's output comes in."""

    @property
    def program(self) -> str:
        """The program's bare name in lower case: of `/bin/RM`, `rm`."""
        return (
            self.words[0].replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")
            if self.words
            else ""
        )


def simple_commands(text: str) -> tuple[SimpleCommand, ...]:
    """All simple commands of `text`, those inside `$(…)` and backticks too, in order of their end."""
    return tuple(_commands(text, _DEEPEST))


@dataclass(slots=True)
class _Line:
    """The simple command that is being read."""

    is_piped_into: bool = False
    words: list[str] = field(default_factory=list[str])
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    pieces: list[str] = field(default_factory=list[str])
    sign: str = ""

    def end_word(self) -> None:
        if not self.pieces:
            return
        word, self.pieces = "".join(self.pieces), []
        if self.sign:
            self.redirects.append(Redirect(self.sign, word))
            self.sign = ""
        else:
            self.words.extend(_expanded(word))

    def made(self) -> SimpleCommand | None:
        self.end_word()
        if not self.words and not self.redirects:
            return None
        return SimpleCommand(
            words=tuple(self.words), redirects=tuple(self.redirects), is_piped_into=self.is_piped_into
        )


def _commands(text: str, depth: int) -> Iterator[SimpleCommand]:
    line, is_open = _Line(), False
    for match in _TOKEN.finditer(text):
        kind, piece = match.lastgroup, match.group()
        if kind == "space":
            line.end_word()
        elif kind == "redirect":
            line.end_word()
            line.sign = piece.strip("0123456789&|")
        elif kind == "break":
            is_open = is_open != (piece == "`")
            if is_open and piece == "`" and not line.words:
                # What the backticks give is the program: the rules must see that nobody knows it.
                line.pieces.append("$(")
            yield from _ended(line)
            line = _Line(is_piped_into=piece in _PIPES)
        elif kind == "comment" and not line.pieces:
            continue
        else:
            line.pieces.append(_text(kind, piece))
            if kind == "double" and depth:
                yield from _substituted(piece, depth - 1)
            elif kind in ("process", "substitution"):
                # What it holds is read as a command of its own; that it was there, the rules must see.
                line.end_word()
                yield from _ended(line)
                line = _Line()
    yield from _ended(line)


def _ended(line: _Line) -> Iterator[SimpleCommand]:
    if (made := line.made()) is not None:
        yield made


def _text(kind: str | None, piece: str) -> str:
    """A piece of a word without its quotes."""
    if kind == "escape":
        return piece[1:]
    if kind == "single":
        return piece[1:].removesuffix("'")
    if kind == "double":
        inner = piece[1:-1] if len(piece) > 1 and piece.endswith('"') else piece[1:]
        return inner.replace('\\"', '"').replace("\\$", "$")
    return piece


def _substituted(quoted: str, depth: int) -> Iterator[SimpleCommand]:
    """Commands inside `$(…)` and backticks of a double-quoted text; the prose around them is none."""
    places = [place for place in (quoted.find("$("), quoted.find("`")) if place >= 0]
    if places:
        yield from _commands(quoted[min(places) :].removesuffix('"').removeprefix("$("), depth)


def _expanded(word: str) -> list[str]:
    """The words of one brace expansion such as `{rm,-rf,/}`; the word itself where there is none."""
    start, close = word.find("{"), word.find("}")
    if start < 0 or close < start or "," not in word[start:close] or word[:start].endswith("$"):
        return [word]
    # Bounded on both sides: long ones, repeated for each part, would grow with the square of the length.
    before, behind = word[:start][-_LONGEST_SIDE:], word[close + 1 :][:_LONGEST_SIDE]
    return [before + part + behind for part in word[start + 1 : close].split(",")]
