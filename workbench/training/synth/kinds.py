"""Kinds of parameters: their names, their values, and how often each is drawn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from workbench.training.synth.values import (
    ParameterSlot,
    draw_address,
    draw_choice,
    draw_code,
    draw_date,
    draw_flag,
    draw_integer,
    draw_limit,
    draw_list,
    draw_number,
    draw_path,
    draw_place,
    draw_range,
    draw_record,
    draw_sentence,
    draw_site,
    draw_time,
    texts,
)
from workbench.training.synth.vocabulary import kind_words
from workbench.training.synth.words import Dice, WordList


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterKind:
    """A kind of parameter."""

    names: tuple[str, ...]
    """Names of such parameters, as words separated by spaces."""
    make: Callable[[Dice, WordList], ParameterSlot] = field(compare=False)
    naturals: tuple[str, ...] = ()
    """Ways to say the value without the name of the parameter. `{}` is the value."""


_MAKERS: Final[Mapping[str, Callable[[Dice, WordList], ParameterSlot]]] = {
    "place": texts(draw_place),
    "person": texts(lambda dice, words: words.person(dice)),
    "made up": texts(lambda dice, words: words.made_up(dice)),
    "thing": texts(lambda dice, words: dice.pick(words.things)),
    "topic": texts(lambda dice, words: dice.pick(words.topics)),
    "code": texts(draw_code),
    "path": texts(draw_path),
    "mail": texts(draw_address),
    "site": texts(draw_site),
    "sentence": draw_sentence,
    "date": draw_date,
    "time": draw_time,
    "integer": draw_integer,
    "number": draw_number,
    "flag": draw_flag,
    "choice": draw_choice,
    "list": draw_list,
    "range": draw_range,
    "record": draw_record,
    "limit": draw_limit,
}


def _kind(name: str) -> ParameterKind:
    names, naturals = kind_words(name)
    return ParameterKind(names=names, make=_MAKERS[name], naturals=naturals)


KINDS: Final[Mapping[str, ParameterKind]] = {name: _kind(name) for name in _MAKERS}
SHARES: Final = (
    ("place", 10.0),
    ("person", 8.0),
    ("made up", 6.0),
    ("thing", 7.0),
    ("topic", 4.0),
    ("code", 6.0),
    ("path", 4.0),
    ("mail", 2.0),
    ("site", 2.0),
    ("sentence", 6.0),
    ("date", 7.0),
    ("time", 5.0),
    ("integer", 11.0),
    ("number", 11.0),
    ("flag", 6.0),
    ("choice", 12.0),
    ("list", 6.0),
    ("range", 2.0),
    ("record", 2.0),
    ("limit", 1.0),
)
"""Kinds of parameters with their shares."""
