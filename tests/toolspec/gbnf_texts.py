"""Texts of a grammar: whether it allows one, and random ones that it allows."""

import random
from functools import lru_cache

from workbench.toolspec.gbnf_rest import (
    _Chars,
    _Choice,
    _Follower,
    _Parser,
    _Part,
    _Repeat,
    _Rule,
    _Sequence,
    _Stack,
    _Text,
)

CHARACTERS = "aZ09 -_.:/@é🌍日\"\\'<>{}[]\n\t^$+*?|"
"""Characters that a sample chooses from, if a class allows some of them."""
DEEP = 12
"""Below this depth, a sample takes the shortest way out."""


class Gbnf:
    """A grammar of this package."""

    def __init__(self, text: str) -> None:
        self.bodies = dict(line.split(" ::= ", 1) for line in text.removesuffix("\n").split("\n"))
        self.rules = {name: _Parser(body).choice() for name, body in self.bodies.items()}
        self.depths = self._all_depths()

    @property
    def has_texts(self) -> bool:
        """Whether the grammar allows any text."""
        return self.depths["root"] < float("inf")

    def allows(self, text: str) -> bool:
        """Return whether a text is one of the grammar's texts."""
        return any(all(map(self.can_be_empty, stack)) for stack in self._stacks(text))

    def _stacks(self, text: str) -> list[_Stack]:
        return _Follower(self.bodies).follow(text)

    def can_be_empty(self, part: _Part) -> bool:
        """Return whether a part may match nothing."""
        match part:
            case _Text(text=text):
                return not text
            case _Chars():
                return False
            case _Rule(name=name):
                return self.can_be_empty(self.rules[name])
            case _Sequence(parts=parts):
                return all(map(self.can_be_empty, parts))
            case _Choice(options=options):
                return any(map(self.can_be_empty, options))
            case _Repeat(part=inner, least=least):
                return least == 0 or self.can_be_empty(inner)

    def sample(self, rng: random.Random) -> str:
        """Return a random text of the grammar.

        Raises:
            ValueError: The grammar has no text.
        """
        if not self.has_texts:
            raise ValueError("the grammar has no text")
        pieces: list[str] = []
        self._write(self.rules["root"], rng, pieces, 0)
        return "".join(pieces)

    def _write(self, part: _Part, rng: random.Random, pieces: list[str], depth: int) -> None:
        match part:
            case _Text(text=text):
                pieces.append(text)
            case _Chars():
                pieces.append(rng.choice(_characters(part)))
            case _Rule(name=name):
                self._write(self.rules[name], rng, pieces, depth + 1)
            case _Sequence(parts=parts):
                for inner in parts:
                    self._write(inner, rng, pieces, depth)
            case _Choice(options=options):
                possible = [option for option in options if self._depth(option) < float("inf")]
                if depth > DEEP:
                    possible = [min(possible, key=self._depth)]
                self._write(rng.choice(possible), rng, pieces, depth)
            case _Repeat(part=inner, least=least, most=most):
                extra = (
                    0 if depth > DEEP or self._depth(inner) == float("inf") else rng.choice((0, 0, 1, 2, 3))
                )
                for _ in range(least + extra if most is None else min(most, least + extra)):
                    self._write(inner, rng, pieces, depth)

    def _all_depths(self) -> dict[str, float]:
        """Return how many rules below each rule its shortest text needs; infinite if it has no text."""
        self.depths = dict.fromkeys(self.rules, float("inf"))
        while True:
            found = {name: 1 + self._depth(part) for name, part in self.rules.items()}
            if found == self.depths:
                return found
            self.depths = found

    def _depth(self, part: _Part) -> float:
        match part:
            case _Text():
                return 0
            case _Chars(ranges=ranges, is_negated=is_negated):
                return 0 if ranges or is_negated else float("inf")
            case _Rule(name=name):
                return self.depths[name]
            case _Sequence(parts=parts):
                return max(map(self._depth, parts), default=0)
            case _Choice(options=options):
                return min(map(self._depth, options))
            case _Repeat(part=inner, least=least):
                return self._depth(inner) if least else 0


@lru_cache(maxsize=10_000)
def _characters(part: _Chars) -> list[str]:
    found = [char for char in CHARACTERS if part.has(char)]
    if not part.is_negated:
        found += [char for pair in part.ranges for char in pair]
    return found or [next(chr(code) for code in range(0x20, 0x500) if part.has(chr(code)))]
