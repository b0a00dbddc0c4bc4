"""Compute what a grammar allows after the beginning of a text.

Idea. A model continues a call that was cut off, such as `{"name": "get_weather", "arguments": {"ci`. The grammar of
calls starts at the beginning of a call, so it cannot constrain the rest. But the positions in the grammar after these
characters can be computed, and a new first rule that starts at these positions is a grammar of the rest.

A position is a *stack*: the parts of the grammar that must follow, in order. Several stacks are possible at once. After
`{"name": "get_`, there is one for each tool whose name begins with `get_`:

    "weather\\", \\"arguments\\": " r1 "}" r2        "time\\", \\"arguments\\": " r3 "}" r2

Invariant. Written text plus any text that the new grammar allows is a text that the old grammar allows, and the other
way round: nothing is lost.

*Source:* https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from workbench.toolspec.gbnf import literal

MAX_CHARS: Final = 50_000
"""Longer beginnings are not followed."""
MAX_STEPS: Final = 500_000
"""Limit on the work for one beginning."""
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<name>[a-zA-Z][\w-]*)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<chars>\[(?:[^\]\\]|\\.)*\])"""
    r"""|(?P<count>[*+?]|\{\d+(?:,\d*)?\})|(?P<sign>[()|]))"""
)
_ESCAPE: Final = re.compile(r"\\(?:(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|(.))", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class _Text:
    """A literal. Empty for a part that matches nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class _Chars:
    """A class of characters, such as `[^"\\\\]`."""

    source: str
    ranges: tuple[tuple[str, str], ...]
    is_negated: bool

    def has(self, char: str) -> bool:
        return self.is_negated != any(first <= char <= last for first, last in self.ranges)


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: "tuple[_Part, ...]"


@dataclass(frozen=True, slots=True)
class _Choice:
    options: "tuple[_Part, ...]"


@dataclass(frozen=True, slots=True)
class _Repeat:
    part: "_Part"
    least: int
    most: int | None
    """None if there is no maximum."""


_Part = _Text | _Chars | _Rule | _Sequence | _Choice | _Repeat
_Stack = tuple[_Part, ...]


class _TooMuchWork(Exception):
    """The beginning cannot be followed within `MAX_STEPS`."""


def grammar_after(grammar: str, written: str) -> str | None:
    r"""Return the grammar of what may follow `written`, or None if `written` does not fit the grammar.

    None is also returned if the beginning is too long or its grammar too large to follow.

    >>> grammar_after('root ::= "say" word+\nword ::= " " [a-z]*\n', "say h")
    'root ::= ([a-z]){0,} (word){0,}\nword ::= " " [a-z]*\n'
    >>> grammar_after('root ::= "a"\n', "b") is None
    True

    Args:
        grammar: GBNF of this package, with one rule per line. Its first rule is `root`, which no rule refers to.
    """
    if len(written) > MAX_CHARS:
        return None
    bodies = dict(line.split(" ::= ", 1) for line in grammar.removesuffix("\n").split("\n"))
    try:
        stacks = _Follower(bodies).follow(written)
    except (RecursionError, _TooMuchWork):
        return None
    if not stacks:
        return None
    rest = " | ".join(" ".join(map(_written, stack)) or '""' for stack in stacks)
    return "".join(f"{name} ::= {body}\n" for name, body in {**bodies, "root": rest}.items())


class _Follower:
    """Follows a text through the rules of a grammar."""

    def __init__(self, bodies: Mapping[str, str]) -> None:
        self._bodies = bodies
        self._rules: dict[str, _Part] = {}
        self._steps = 0

    def follow(self, written: str) -> list[_Stack]:
        """Return all positions after `written`, without duplicates. Empty if it does not fit."""
        stacks: list[_Stack] = [(self._rule("root"),)]
        for char in written:
            stacks = list(dict.fromkeys(after for stack in stacks for after in self._after(stack, char)))
        return stacks

    def _after(self, stack: _Stack, char: str) -> Iterator[_Stack]:
        """Yield the positions after one more character."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise _TooMuchWork
        if not stack:
            return
        first, rest = stack[0], stack[1:]
        match first:
            case _Text(text=""):
                yield from self._after(rest, char)
            case _Text(text=text):
                if text[0] == char:
                    yield (_Text(text[1:]), *rest) if len(text) > 1 else rest
            case _Chars():
                if first.has(char):
                    yield rest
            case _Rule(name=name):
                yield from self._after((self._rule(name), *rest), char)
            case _Sequence(parts=parts):
                yield from self._after((*parts, *rest), char)
            case _Choice(options=options):
                for option in options:
                    yield from self._after((option, *rest), char)
            case _Repeat(part=part, least=least, most=most):
                if most != 0:
                    again = replace(first, least=max(0, least - 1), most=None if most is None else most - 1)
                    yield from self._after((part, again, *rest), char)
                if least == 0:
                    yield from self._after(rest, char)

    def _rule(self, name: str) -> _Part:
        if name not in self._rules:
            self._rules[name] = _Parser(self._bodies[name]).choice()
        return self._rules[name]


class _Parser:
    """Parses the text of one rule."""

    def __init__(self, body: str) -> None:
        self._tokens = [
            (str(match.lastgroup), match.group(str(match.lastgroup))) for match in _TOKEN.finditer(body)
        ]
        self._place = 0

    def choice(self) -> _Part:
        """Parse alternatives up to a closing parenthesis or the end."""
        options = [self._sequence()]
        while self._peek() == ("sign", "|"):
            self._place += 1
            options.append(self._sequence())
        return options[0] if len(options) == 1 else _Choice(tuple(options))

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while (token := self._peek()) is not None and token not in (("sign", "|"), ("sign", ")")):
            self._place += 1
            kind, text = token
            if kind == "count":
                least, most = _bounds(text)
                parts[-1] = _Repeat(parts[-1], least, most)
            elif kind == "sign":
                parts.append(self.choice())
                self._place += 1
            else:
                parts.append(_atom(kind, text))
        return parts[0] if len(parts) == 1 else _Sequence(tuple(parts))

    def _peek(self) -> tuple[str, str] | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None


def _atom(kind: str, text: str) -> _Part:
    if kind == "name":
        return _Rule(text)
    if kind == "text":
        return _Text("".join(char for char, _ in _characters(text[1:-1])))
    inner = text[1:-1]
    is_negated = inner.startswith("^")
    characters = list(_characters(inner[is_negated:]))
    ranges: list[tuple[str, str]] = []
    place = 0
    while place < len(characters):
        first = characters[place][0]
        is_range = place + 2 < len(characters) and characters[place + 1] == ("-", False)
        ranges.append((first, characters[place + 2][0] if is_range else first))
        place += 3 if is_range else 1
    return _Chars(text, tuple(ranges), is_negated)


def _characters(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each character of a literal or a class, and whether it was escaped."""
    place = 0
    while place < len(source):
        match = _ESCAPE.match(source, place)
        if match is None:
            yield source[place], False
            place += 1
            continue
        *codes, char = match.groups()
        code = "".join(filter(None, codes))
        yield (chr(int(code, 16)) if code else _ESCAPED.get(char, char)), True
        place = match.end()


def _bounds(count: str) -> tuple[int, int | None]:
    if count in ("*", "+", "?"):
        return int(count == "+"), 1 if count == "?" else None
    least, comma, most = count[1:-1].partition(",")
    return int(least), (int(most) if most else None) if comma else int(least)


def _written(part: _Part) -> str:
    """Write a part as GBNF."""
    match part:
        case _Text(text=text):
            return literal(text)
        case _Chars(source=source):
            return source
        case _Rule(name=name):
            return name
        case _Sequence(parts=parts):
            return f"({' '.join(map(_written, parts))})" if parts else '""'
        case _Choice(options=options):
            return f"({' | '.join(map(_written, options))})"
        case _Repeat(part=inner, least=least, most=most):
            return f"({_written(inner)}){{{least},{'' if most is None else most}}}"
