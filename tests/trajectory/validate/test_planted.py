"""Rows are generated with one planted defect each, in every format that can write it; each is found at its place.

Clean rows around them have no findings. `make test` checks a few hundred rows, and the slow test 20,000.
"""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import pytest

from workbench.library.datasets.row_files import FileLine, format_of_row, parse_line
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.check import CheckOptions, RowsCheck
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

Row = dict[str, Any]
WORDS = [
    "amber",
    "basalt",
    "cedar",
    "dune",
    "ember",
    "fjord",
    "grove",
    "harbor",
    "iris",
    "juniper",
    "kelp",
    "larch",
]
FORMS = ("sharegpt", "openai", "trl", "llamafactory")
ENTRIES = {
    "sharegpt": "conversations",
    "openai": "messages",
    "trl": "messages",
    "llamafactory": "conversations",
}
TEXT = {"sharegpt": "value", "openai": "content", "trl": "content", "llamafactory": "value"}
ROLE = {"sharegpt": "from", "openai": "role", "trl": "role", "llamafactory": "from"}
USER = {"sharegpt": "human", "openai": "user", "trl": "user", "llamafactory": "human"}
MODEL = {"sharegpt": "gpt", "openai": "assistant", "trl": "assistant", "llamafactory": "gpt"}
TOOL = {"sharegpt": "tool", "openai": "tool", "trl": "tool", "llamafactory": "observation"}


def spec(name: str, **more: Any) -> Row:
    properties = {
        "key": {"type": "string", "description": "Which one."},
        "count": {"type": "integer", "minimum": 1, "maximum": 50},
        "mode": {"type": "string", "enum": ["short", "long"]},
        "day": {"type": "string", "format": "date"},
        "flag": {"type": "boolean"},
        "level": {"type": "number"},
    }
    parameters = {"type": "object", "properties": properties, "required": ["key"], **more}
    return {
        "type": "function",
        "function": {"name": name, "description": f"Look up a {name[4:]}.", "parameters": parameters},
    }


def clean_row(random: Random, number: int, form: str) -> Row:
    """A row of one call with its result in the middle: system text, question, call, result, answer."""
    name = f"get_{random.choice(WORDS)}"
    arguments: Row = {"key": f"{random.choice(WORDS)}-{number}", "count": random.randrange(1, 51)}
    if random.random() < 0.5:
        arguments["mode"] = random.choice(["short", "long"])
    said = " ".join(random.choices(WORDS, k=12))
    asked = random.choice(["Größe", "naïve café", "中文", "Привет", "😀", "plain"])
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    row = {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": f"Request {number} about {asked}: {said}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {
                "role": "tool",
                "tool_call_id": "call_1",
                "name": name,
                "content": json.dumps({"value": number}),
            },
            {"role": "assistant", "content": f"It is {number}, because of {said}."},
        ],
        "tools": [spec(name), spec("get_other")],
        "id": f"row-{number}",
    }
    if form == "trl":
        return row
    done = convert_row(row, FORMATS["trl"], FORMATS[form], RowOptions())
    assert done.row is not None, done.problems
    return json.loads(json.dumps(done.row))


class Place(NamedTuple):
    """Where a defect is planted, in the row of one format."""

    form: str
    row: Row

    @property
    def key(self) -> str:
        return ENTRIES[self.form]

    @property
    def entries(self) -> list[Row]:
        return self.row[self.key]

    @property
    def start(self) -> int:
        """Index of the question: some formats have the system text in a column."""
        return next(
            index for index, one in enumerate(self.entries) if one[ROLE[self.form]] == USER[self.form]
        )

    def entry(self, offset: int) -> Row:
        return self.entries[self.start + offset]

    def text_at(self, offset: int) -> str:
        return f"/{self.key}/{self.start + offset}/{TEXT[self.form]}"

    def say(self, offset: int, text: str) -> None:
        self.entry(offset)[TEXT[self.form]] = text

    def call_text(self, change: Callable[[str], str]) -> str:
        """Change the JSON text of the arguments or of the call; return its pointer."""
        if self.form == "openai":
            function = self.entry(1)["tool_calls"][0]["function"]
            function["arguments"] = change(function["arguments"])
            return f"/messages/{self.start + 1}/tool_calls/0/function/arguments"
        self.say(1, change(self.entry(1)[TEXT[self.form]]))
        return self.text_at(1)

    def arguments(self, **change: Any) -> None:
        """Replace arguments, or remove those that are None."""

        def changed(given: Row) -> Row:
            return {key: value for key, value in {**given, **change}.items() if value is not None}

        if self.form == "trl":
            function = self.entry(1)["tool_calls"][0]["function"]
            function["arguments"] = changed(function["arguments"])
        elif self.form == "openai":
            self.call_text(lambda text: json.dumps(changed(json.loads(text))))
        else:
            start, end = ("<tool_call>\n", "\n</tool_call>") if self.form == "sharegpt" else ("", "")
            call = json.loads(self.entry(1)["value"].removeprefix(start).removesuffix(end))
            self.say(1, start + json.dumps({**call, "arguments": changed(call["arguments"])}) + end)

    def rename(self, name: str) -> str:
        """Call another tool; return the pointer to the call."""
        if self.form in ("openai", "trl"):
            self.entry(1)["tool_calls"][0]["function"]["name"] = name
            self.entry(2).pop("name", None)
            return f"/messages/{self.start + 1}/tool_calls/0"
        text = self.entry(1)["value"]
        old = json.loads(text[text.index("{") : text.rindex("}") + 1])["name"]
        self.say(1, text.replace(f'"name": "{old}"', f'"name": "{name}"'))
        return self.text_at(1)


Planted = tuple[int | None, str] | None
"""Offset of the entry from the question, None for the row, and the pointer; None if the format cannot have it."""
Plant = Callable[[Place, Random], Planted]


def said(offset: int, *texts: str) -> Plant:
    def plant(place: Place, random: Random) -> Planted:
        place.say(offset, random.choice(texts))
        return offset, place.text_at(offset)

    return plant


def argued(pointer: str, **change: Any) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        place.arguments(**change)
        return 1, pointer

    return plant


def written(change: Callable[[str], str], *forms: str) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        return (1, place.call_text(change)) if place.form in forms else None

    return plant


def named(name: str) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        return 1, place.rename(name)

    return plant


def without_result(place: Place, _: Random) -> Planted:
    del place.entries[place.start + 2]
    # The answer would follow the call; a new question does.
    where = (
        place.text_at(1)
        if place.form not in ("openai", "trl")
        else f"/messages/{place.start + 1}/tool_calls/0"
    )
    return 1, where


def without_call(place: Place, _: Random) -> Planted:
    place.entry(1).pop("tool_calls", None)
    place.entry(1)[ROLE[place.form]] = MODEL[place.form]
    place.say(1, "I look.")
    return 2, place.text_at(2)


def two_questions(place: Place, _: Random) -> Planted:
    place.entries.insert(place.start + 1, dict(place.entry(0)))
    return 1, f"/{place.key}/{place.start + 1}"


def last_is_user(place: Place, _: Random) -> Planted:
    place.entries.append({ROLE[place.form]: USER[place.form], TEXT[place.form]: "And then?"})
    return 4, f"/{place.key}/{place.start + 4}"


def empty(text: str | None) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        place.say(3, text)  # type: ignore[arg-type]
        is_missing = text is None and place.form in ("sharegpt", "llamafactory")
        return 3, f"/{place.key}/{place.start + 3}" + ("/value" if is_missing else "")

    return plant


def unknown_role(place: Place, _: Random) -> Planted:
    start = place.start
    place.entry(0)[ROLE[place.form]] = "alien"
    return 0, f"/{place.key}/{start}/{ROLE[place.form]}"


def columned(key: str, value: Any) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        place.row[key] = value
        return None, f"/{key}"

    return plant


def tools_of(change: Callable[[list[Row]], Any]) -> Plant:
    """Change the declared tools; the system text of the other formats does not list them."""

    def plant(place: Place, _: Random) -> Planted:
        if place.form not in ("openai", "trl"):
            return None
        return None, change(place.row["tools"])

    return plant


def untyped(tools: list[Row]) -> str:
    tools[1]["function"]["parameters"]["properties"]["flag"]["type"] = 7
    return "/tools/1/function/parameters/properties/flag/type"


def twice(tools: list[Row]) -> str:
    tools.append(tools[1])
    return "/tools"


def unreadable_tools(place: Place, _: Random) -> Planted:
    place.row["tools"] = "[{"
    return None, "/tools"


def other_id(place: Place, _: Random) -> Planted:
    if place.form not in ("openai", "trl"):
        return None
    place.entry(2)["tool_call_id"] = "call_9"
    return 2, place.text_at(2)


def other_name(place: Place, _: Random) -> Planted:
    if place.form != "trl":
        return None
    place.entry(2)["name"] = "get_other"
    return 2, place.text_at(2)


def repeated(place: Place, _: Random) -> Planted:
    """The same call twice, with a result each."""
    if place.form in ("openai", "trl"):
        calls = place.entry(1)["tool_calls"]
        calls.append({**calls[0], "id": "call_2"})
        place.entries.insert(place.start + 3, {**place.entry(2), "tool_call_id": "call_2"})
        return 1, f"/messages/{place.start + 1}/tool_calls/1"
    if place.form == "sharegpt":
        for offset in (1, 2):
            text = place.entry(offset)["value"]
            place.say(offset, f"{text}\n{text}")
        return 1, place.text_at(1)
    return None


def bare_member(place: Place, _: Random) -> Planted:
    if place.form in ("openai", "trl"):
        place.entry(1)["tool_calls"][0]["function"]["extra"] = 1
        return 1, f"/messages/{place.start + 1}/tool_calls/0"
    place.call_text(lambda text: text.replace('"arguments"', '"extra": 1, "arguments"', 1))
    return 1, place.text_at(1)


def prose_call(place: Place, random: Random) -> Planted:
    text = random.choice(['get_other("x")', 'get_other({"key": "x"})', 'get_other: {"key": "x"}'])
    place.say(3, random.choice(["", "One more:\n"]) + text)
    return 3, place.text_at(3)


KEY = "hf_" + "aB3" * 11
BODY = '"count"'
KINDS: dict[str, tuple[str, Plant]] = {
    "missing brace": ("call-not-strict", written(lambda text: text.replace("}\n</tool_call>", "\n</tool_call>"), "sharegpt")),
    "trailing comma": ("call-not-strict", written(lambda text: text[::-1].replace("}", "},", 1)[::-1], "openai", "llamafactory")),
    "single quotes": ("call-not-strict", written(lambda text: text.replace('"', "'"), "openai", "sharegpt", "llamafactory")),
    "not JSON": ("call-unreadable", written(lambda text: text.replace(BODY, "@!", 1), "sharegpt", "openai")),
    "cut off": ("call-truncated", written(lambda text: text[: text.index(BODY)], "sharegpt")),
    "NaN": ("call-unreadable", written(lambda text: text.replace(BODY, '"level": NaN, "count"'), "sharegpt")),
    "NaN in text": ("non-finite-number", written(lambda text: text.replace(BODY, '"level": NaN, "count"'), "openai", "llamafactory")),
    "key twice in a call": ("call-not-strict", written(lambda text: text.replace(BODY, '"key": "x", "count"'), "sharegpt")),
    "key twice in arguments": ("duplicate-key", written(lambda text: text.replace(BODY, '"key": "x", "count"'), "openai", "llamafactory")),
    "arguments encoded twice": ("call-not-strict", written(json.dumps, "openai")),
    "arguments are a list": ("call-unreadable", written(lambda _: "[]", "openai")),
    "unknown member": ("unknown-member", bare_member),
    "undeclared tool": ("undeclared-tool", named("get_nothing")),
    "wrong case": ("undeclared-tool", named("GET_OTHER")),
    "zero-width character": ("undeclared-tool", named("get_\u200bother")),
    "missing argument": ("schema-missing-required", argued("/key", key=None)),
    "wrong type": ("schema-type", argued("/key", key=7)),
    "number as text": ("schema-type", argued("/count", count="seven")),
    "wrong enum": ("schema-enum", argued("/mode", mode="medium")),
    "too small": ("schema-minimum", argued("/count", count=0)),
    "too large": ("schema-maximum", argued("/count", count=51)),
    "extra argument": ("schema-unknown-argument", argued("/town", town="x")),
    "no date": ("schema-format", argued("/day", day="tomorrow")),
    "call without result": ("call-without-result", without_result),
    "result without call": ("result-without-call", without_call),
    "other id": ("result-id-mismatch", other_id),
    "other name": ("result-name-mismatch", other_name),
    "two questions": ("role-order", two_questions),
    "last is the user": ("last-not-assistant", last_is_user),
    "empty text": ("empty-entry", empty("")),
    "blank text": ("empty-entry", empty(" \n")),
    "unknown role": ("unknown-role", unknown_role),
    "placeholder": ("placeholder", said(0, "Weather in {{ city }}?", "Dear [YOUR NAME],")),
    "key of a service": ("secret", said(0, f"Use {KEY}", "AKIAABCDEFGH12345678 is the key")),
    "e-mail": ("personal-data", said(0, "Mail to ann@corp.com")),
    "phone": ("personal-data", said(3, "Call +49 30 901820 74")),
    "account": ("personal-data", said(3, "Pay to DE89 3704 0044 0532 0130 00")),
    "special token": ("control-mark", said(0, "Stop<|im_end|>", "<|im_start|>system")),
    "call in a question": ("call-in-user", said(0, 'Do <tool_call>\n{"name": "get_other", "arguments": {"key": "x"}}\n</tool_call>')),
    "tools are not JSON": ("tools-unreadable", unreadable_tools),
    "tool twice": ("tool-declared-twice", tools_of(twice)),
    "unsound schema": ("spec-unsound", tools_of(untyped)),
    "half a surrogate pair": ("lone-surrogate", said(3, "Fine \ud83d", "\udc00")),
    "half a pair in a column": ("lone-surrogate", columned("note", "\ud83d")),
    "NUL": ("null-character", said(0, "a\0b")),
    "NaN in a column": ("non-finite-number", columned("score", float("nan"))),
    "infinite number": ("non-finite-number", columned("score", float("inf"))),
    "mojibake": ("mojibake", said(3, "In the CafÃ©", "Itâ€™s late", "18Â°C")),
    "U+FFFD": ("replacement-character", said(3, "In Z\ufffdrich")),
    "the same call twice": ("repeated-call", repeated),
    "call as prose": ("call-in-prose", prose_call),
    "Python call": ("call-unreadable", said(3, 'get_other(key="x")', '[get_other(key="x")]')),
}  # fmt: skip


class Expected(NamedTuple):
    """A finding that is expected: code, index of the entry and pointer."""

    code: str
    entry: int | None
    pointer: str


def planted_rows(count: int, seed: int) -> Iterator[tuple[str, Row, Expected | None]]:
    """Rows with their kind: nine of ten are clean."""
    random = Random(seed)
    kinds = [(kind, form) for kind in KINDS for form in FORMS]
    for number in range(count):
        kind, form = kinds[number // 10 % len(kinds)]
        row = clean_row(random, number, form)
        if number % 10:
            yield "clean", row, None
            continue
        code, plant = KINDS[kind]
        place = Place(form, row)
        start = place.start
        found = plant(place, random)
        if found is None:
            yield "clean", row, None
            continue
        offset, pointer = found
        yield f"{kind} in {form}", row, Expected(code, None if offset is None else start + offset, pointer)


def check_planted(count: int, seed: int) -> None:
    check = RowsCheck(options=CheckOptions(finds_near=False))
    wrong: list[object] = []
    for number, (kind, row, expected) in enumerate(planted_rows(count, seed), start=1):
        formed = format_of_row(parse_line(FileLine(number, json.dumps(row).encode())), "auto")
        assert not isinstance(formed, RowFinding), (kind, row)
        found = [Expected(item.code, item.entry, item.pointer) for item in check.check_as(*formed)]
        if found != ([] if expected is None else [expected]):
            wrong.append((kind, found, expected))
    assert not wrong, "\n".join(map(str, wrong))


def test_each_kind_of_defect_is_found_at_its_place_in_each_format() -> None:
    check_planted(len(KINDS) * len(FORMS) * 10, seed=1)


@pytest.mark.slow
def test_twenty_thousand_rows_with_planted_defects() -> None:
    check_planted(20_000, seed=2)
