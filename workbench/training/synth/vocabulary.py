"""The words and sentences that synthetic rows are drawn from, read from `vocabulary.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final, cast

_Entries = Sequence[str] | Sequence[Sequence[str]] | Sequence[Sequence[Sequence[str]]]

_TABLES: Final = cast(
    Mapping[str, Mapping[str, _Entries]],
    tomllib.loads(files("workbench.training.synth").joinpath("vocabulary.toml").read_text("utf-8")),
)


def entries(table: str, name: str) -> tuple[str, ...]:
    """Return the texts of one list."""
    return tuple(cast(Sequence[str], _TABLES[table][name]))


def pairs(table: str, name: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of one list, such as a question and its answer."""
    return tuple((first, second) for first, second in cast(Sequence[Sequence[str]], _TABLES[table][name]))


def by_purpose(table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the lists of a table that has one for each purpose of a tool: read, act and sum."""
    return {purpose: entries(table, purpose) for purpose in _TABLES[table]}


def kind_words(kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of parameters of a kind, and the ways to say their value without the name."""
    table = cast(Mapping[str, Sequence[str]], _TABLES["kinds"][kind])
    return tuple(table["names"]), tuple(table.get("naturals", ()))


PLACES: Final = entries("words", "places")
PEOPLE: Final = entries("words", "people")
FAMILIES: Final = entries("words", "families")
THINGS: Final = entries("words", "things")
TOPICS: Final = entries("words", "topics")
QUALITIES: Final = entries("words", "qualities")
STATES: Final = entries("words", "states")
DAYS: Final = entries("words", "days")
MONTHS: Final = entries("words", "months")
FILES: Final = entries("words", "files")
ENDINGS: Final = entries("words", "endings")
FOLDERS: Final = entries("words", "folders")
UNITS: Final = entries("words", "units")
CHOICES: Final = tuple(
    tuple((value, spoken) for value, spoken in cast(Sequence[Sequence[str]], group))
    for group in _TABLES["words"]["choices"]
)
NOUNS: Final = by_purpose("nouns")
VERBS: Final = by_purpose("verbs")
REQUESTS: Final = by_purpose("requests")
NAMED: Final = entries("phrases", "named")
BARE: Final = entries("phrases", "bare")
ON: Final = entries("phrases", "on")
OFF: Final = entries("phrases", "off")
OPENINGS: Final = entries("phrases", "beginnings")
CLOSINGS: Final = entries("phrases", "endings")
JOINTS: Final = entries("phrases", "joints")
ASK_ONE: Final = entries("phrases", "ask_one")
ASK_MORE: Final = entries("phrases", "ask_more")
AGAIN: Final = entries("phrases", "again")
LINKS: Final = entries("phrases", "links")
UNCOVERED: Final = entries("phrases", "uncovered")
THANKS: Final = pairs("phrases", "thanks")
PREFACES: Final = entries("phrases", "prefaces")
GIVEN: Final = entries("phrases", "given")
