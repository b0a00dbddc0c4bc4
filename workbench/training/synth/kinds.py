"""Kinds of parameters: what they are called, what they take, and how often each is drawn."""

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
from workbench.training.synth.words import Dice, WordList


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterKind:
    """A kind of parameter."""

    names: tuple[str, ...]
    """What such a parameter may be called; words with blanks."""
    make: Callable[[Dice, WordList], ParameterSlot] = field(compare=False)
    naturals: tuple[str, ...] = ()
    """How a request says the value without the parameter's name, `{}` being the value."""


KINDS: Final[Mapping[str, ParameterKind]] = {
    "place": ParameterKind(
        names=(
            "city",
            "location",
            "place",
            "town",
            "destination",
            "area",
            "site",
            "region",
            "address",
            "venue",
        ),
        make=texts(draw_place),
        naturals=("in {}", "for {}", "near {}", "around {}", "at {}"),
    ),
    "person": ParameterKind(
        names=(
            "name",
            "person",
            "recipient",
            "to",
            "owner",
            "guest",
            "contact",
            "author",
            "user",
            "assignee",
        ),
        make=texts(lambda dice, words: words.person(dice)),
        naturals=("for {}", "for {}", "to {}", "with {}"),
    ),
    "made up": ParameterKind(
        names=("flavor", "mark", "variant", "grade", "sort", "series", "theme", "brand", "model", "pattern"),
        make=texts(lambda dice, words: words.made_up(dice)),
        naturals=("of {}", "for {}"),
    ),
    "thing": ParameterKind(
        names=(
            "item",
            "product",
            "object",
            "query",
            "article",
            "keyword",
            "subject",
            "good",
            "part",
            "thing",
        ),
        make=texts(lambda dice, words: dice.pick(words.things)),
        naturals=("of {}", "for the {}", "about {}"),
    ),
    "topic": ParameterKind(
        names=(
            "topic",
            "title",
            "theme name",
            "search term",
            "heading",
            "category",
            "field name",
            "question",
        ),
        make=texts(lambda dice, words: dice.pick(words.topics)),
        naturals=("about {}", "on {}"),
    ),
    "code": ParameterKind(
        names=(
            "id",
            "number",
            "code",
            "reference",
            "order id",
            "ticket id",
            "account",
            "serial",
            "key name",
            "zip",
        ),
        make=texts(draw_code),
        naturals=("for {}", "of {}", "with number {}"),
    ),
    "path": ParameterKind(
        names=("path", "file", "filename", "target", "source", "folder", "document path", "output file"),
        make=texts(draw_path),
        naturals=("for {}", "from {}"),
    ),
    "mail": ParameterKind(
        names=("email", "mail", "reply to", "address line", "cc"),
        make=texts(draw_address),
        naturals=("to {}", "for {}"),
    ),
    "site": ParameterKind(
        names=("url", "link", "page", "endpoint", "feed"),
        make=texts(draw_site),
        naturals=("from {}", "at {}"),
    ),
    "sentence": ParameterKind(
        names=(
            "text",
            "message",
            "body",
            "note",
            "comment",
            "content",
            "caption",
            "description",
            "details",
            "remark",
        ),
        make=draw_sentence,
        naturals=("saying {}", "that says {}", "with the words {}"),
    ),
    "date": ParameterKind(
        names=(
            "date",
            "day",
            "start date",
            "due date",
            "from date",
            "when",
            "deadline",
            "arrival",
            "departure",
        ),
        make=draw_date,
        naturals=("on {}", "for {}"),
    ),
    "time": ParameterKind(
        names=("time", "hour", "start time", "at time", "clock"), make=draw_time, naturals=("at {}", "for {}")
    ),
    "integer": ParameterKind(
        names=("count", "days", "limit", "amount", "guests", "quantity", "pages", "level", "minutes", "size"),
        make=draw_integer,
    ),
    "number": ParameterKind(
        names=(
            "value",
            "price",
            "weight",
            "length",
            "rate",
            "width",
            "height",
            "factor",
            "distance",
            "score",
        ),
        make=draw_number,
    ),
    "flag": ParameterKind(
        names=(
            "verbose",
            "express",
            "silent",
            "repeat",
            "urgent",
            "recursive",
            "public",
            "dry run",
            "notify",
            "round trip",
        ),
        make=draw_flag,
    ),
    "choice": ParameterKind(
        names=(
            "mode",
            "unit",
            "format",
            "type",
            "status",
            "level name",
            "style",
            "direction",
            "order",
            "priority",
        ),
        make=draw_choice,
    ),
    "list": ParameterKind(
        names=("items", "names", "tags", "values", "entries", "members", "list", "labels"), make=draw_list
    ),
    "range": ParameterKind(names=("range", "span", "interval", "window", "bounds"), make=draw_range),
    "record": ParameterKind(
        names=("customer", "traveller", "holder", "profile", "patient"), make=draw_record
    ),
    "limit": ParameterKind(names=("max results", "cap", "timeout", "budget", "ceiling"), make=draw_limit),
}
"""Every kind of parameter, by name."""
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
"""How often each kind is drawn."""
