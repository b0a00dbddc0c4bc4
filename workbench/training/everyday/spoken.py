"""Values with the words that people use for them, and the slots that draw them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.training.synth import values as formal
from workbench.training.synth import vocabulary
from workbench.training.synth.values import listed
from workbench.training.synth.words import Dice, WordList

DEFAULT: Final = "is"
"""Name of the form of a value that a parameter gets if it names no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A value in all forms that schemas may want it in, and in words."""

    said: str
    """As the user says it."""
    told: str
    """As an answer says it."""
    forms: Mapping[str, JsonValue] = field(hash=False)
    """The value by the name of the form. The default form is named `is`."""
    styles: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Other words for it, by the name of the style. `on` adds the preposition of a day, as in "on Friday"."""
    entries: "tuple[Mapping[str, Spoken], ...]" = ()
    """The values of each entry, by slot, if it is a list of entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A part of a request that takes different values."""

    schemas: Mapping[str, JsonObject] = field(hash=False)
    """JSON Schema by the name of the form. Its description is a hint about the format."""
    draw: Callable[[Dice, date | None], Spoken] = field(compare=False)
    """Draw a value. Values that depend on today's date are drawn only if it is given."""
    pool: tuple[Spoken, ...] = ()
    """All values, if they are written by hand."""
    ways: tuple[tuple[str, ...], ...] = ()
    """For each value of the pool, the ways to say it."""
    entry_slots: "Mapping[str, Slot]" = field(default_factory=dict[str, "Slot"], hash=False)
    """The slots of each entry, if values are lists of entries."""
    styles: frozenset[str] = frozenset()
    """Names of the styles that all values have."""

    def pinned(self, value: JsonValue) -> Spoken | None:
        """Return the value whose default form is `value`, or None if there is none."""
        for spoken in self.pool:
            if spoken.forms[DEFAULT] == value and type(spoken.forms[DEFAULT]) is type(value):
                return spoken
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not self.pool and is_number and self.schemas[DEFAULT].get("type") in ("integer", "number"):
            return Spoken(said=str(value), told=str(value), forms={DEFAULT: value, "text": str(value)})
        return None


class SlotProblem(Exception):
    """A slot is not written correctly."""


_UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def number_words(number: int) -> str:
    """Write a whole number from 0 to 999 in words.

    >>> number_words(245)
    'two hundred and forty-five'
    """
    if number < 20:
        return _UNITS[number]
    if number < 100:
        tens, rest = divmod(number, 10)
        return f"{_TENS[tens]}-{_UNITS[rest]}" if rest else _TENS[tens]
    hundreds, rest = divmod(number, 100)
    return f"{_UNITS[hundreds]} hundred" + (f" and {number_words(rest)}" if rest else "")


def pool_slot(entries: tuple[Spoken, ...], ways: tuple[tuple[str, ...], ...]) -> Slot:
    """Return a slot of values written by hand.

    Args:
        entries: The values.
        ways: For each value, the ways to say it.
    """
    schemas = {name: schema_of([entry.forms[name] for entry in entries]) for name in entries[0].forms}

    def draw(dice: Dice, _today: date | None) -> Spoken:
        place = dice.between(0, len(entries) - 1)
        entry, said = entries[place], dice.pick(ways[place])
        return Spoken(said=said, told=entry.told, forms=entry.forms)

    return Slot(schemas=schemas, draw=draw, pool=entries, ways=ways)


def schema_of(examples: list[JsonValue]) -> JsonObject:
    """Return the JSON Schema of the type that all values have."""
    kinds = {type(example) for example in examples}
    if kinds == {bool}:
        return {"type": "boolean"}
    if kinds == {int}:
        return {"type": "integer"}
    if kinds <= {int, float}:
        return {"type": "number"}
    if kinds == {str}:
        return {"type": "string"}
    if kinds == {list}:
        items = [item for example in examples if isinstance(example, list) for item in example]
        return {"type": "array", "items": schema_of(items)}
    if kinds == {dict}:
        objects = [example for example in examples if isinstance(example, Mapping)]
        names = list(objects[0])
        properties: JsonObject = {name: schema_of([entry[name] for entry in objects]) for name in names}
        return {"type": "object", "properties": properties, "required": list(names)}
    raise SlotProblem("its values have different types; give all of them one type")


def list_slot(slot: Slot, least: int, most: int) -> Slot:
    """Return a slot whose values are lists of different values of another slot."""
    schemas: dict[str, JsonObject] = {
        name: {"type": "array", "items": schema} for name, schema in slot.schemas.items()
    }

    def draw(dice: Dice, today: date | None) -> Spoken:
        items: dict[str, Spoken] = {}
        count = dice.between(least, most)
        for _ in range(20):
            if len(items) < count:
                item = slot.draw(dice, today)
                items.setdefault(item.told, item)
        drawn = list(items.values())
        return Spoken(
            said=listed(dice, [item.said for item in drawn]) if len(drawn) > 1 else drawn[0].said,
            told=told_list([item.told for item in drawn]),
            forms={name: [item.forms[name] for item in drawn] for name in slot.schemas},
        )

    return Slot(schemas=schemas, draw=draw)


def told_list(items: list[str]) -> str:
    """Join texts with commas and "and"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


class _Range(NamedTuple):
    least: float
    most: float
    step: float


_RANGE: Final = re.compile(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)(?: by (\d+(?:\.\d+)?))?")


def _range(text: str, otherwise: str) -> _Range:
    match = _RANGE.fullmatch(text or otherwise)
    if match is None:
        raise SlotProblem(f"{text!r} is not a range; write it as in `1-10` or `10-100 by 5`")
    least, most = float(match[1]), float(match[2])
    if most < least:
        raise SlotProblem(f"{text!r}: the second number is lower than the first")
    return _Range(least, most, float(match[3] or 1))


def _steps(dice: Dice, limits: _Range) -> float:
    count = int((limits.most - limits.least) / limits.step + 1e-9)
    return round(limits.least + dice.between(0, count) * limits.step, 6)


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _in_words(dice: Dice, number: int, share: float = 0.35) -> str:
    """Write a number in digits, or sometimes in words if people would do so."""
    if 0 <= number <= 12:
        return number_words(number) if dice.chance(share) else str(number)
    is_round = number <= 20 or (number < 1000 and number % 10 == 0)
    return number_words(number) if is_round and dice.chance(share / 5) else str(number)


def _integer(text: str, _words: WordList) -> Slot:
    limits = _range(text, "1-10")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        value = int(_steps(dice, limits))
        return Spoken(
            said=_in_words(dice, value), told=str(value), forms={DEFAULT: value, "text": str(value)}
        )

    return Slot(schemas={DEFAULT: {"type": "integer"}, "text": {"type": "string"}}, draw=draw)


def _number(text: str, _words: WordList) -> Slot:
    limits = _range(text, "1-10 by 0.5")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        value = _plain(_steps(dice, limits))
        said = str(value)
        if isinstance(value, int):
            said = _in_words(dice, value, 0.2)
        elif 0 < value < 12 and value % 1 == 0.5 and dice.chance(0.35) and value > 1:
            said = f"{number_words(int(value))} and a half"
        return Spoken(said=said, told=str(value), forms={DEFAULT: value, "text": str(value)})

    return Slot(schemas={DEFAULT: {"type": "number"}, "text": {"type": "string"}}, draw=draw)


def _people(text: str, _words: WordList) -> Slot:
    limits = _range(text, "1-8")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        count = int(_steps(dice, limits))
        word = number_words(count)
        ways = [str(count), word, f"{word} people", f"{count} people", f"{word} of us", f"a party of {word}"]
        if count == 1:
            ways = ["just me", "one person", "1 person", "one"]
        if count == 2:
            ways += ["my wife and me", "me and a friend", "a couple", "the two of us"]
        if 2 < count < 6:
            ways += [f"me and {number_words(count - 1)} friends"]
        told = "1 person" if count == 1 else f"{count} people"
        return Spoken(said=dice.pick(ways), told=told, forms={DEFAULT: count, "text": str(count)})

    return Slot(schemas={DEFAULT: {"type": "integer"}, "text": {"type": "string"}}, draw=draw)


def _percent(text: str, _words: WordList) -> Slot:
    limits = _range(text, "5-100 by 5")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        value = int(_steps(dice, limits))
        ways = [f"{value}%", f"{value} percent", f"{value} %"]
        if value % 10 == 0:
            ways.append(f"{number_words(value)} percent")
        forms: dict[str, JsonValue] = {DEFAULT: value, "fraction": _plain(value / 100), "text": f"{value}%"}
        return Spoken(said=dice.pick(ways), told=f"{value}%", forms=forms)

    return Slot(
        schemas={
            DEFAULT: {"type": "integer", "description": "in percent"},
            "fraction": {"type": "number", "description": "as a fraction, such as 0.2 for 20%"},
            "text": {"type": "string", "description": "with a percent sign"},
        },
        draw=draw,
    )


_CURRENCIES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "EUR": ("euros", ("{} euros", "€{}", "{} euro", "{} EUR")),
    "USD": ("dollars", ("{} dollars", "${}", "{} bucks", "{} US dollars")),
    "GBP": ("pounds", ("{} pounds", "£{}", "{} quid", "{} GBP")),
    "CHF": ("francs", ("{} francs", "{} CHF", "{} Swiss francs")),
}


def _money(text: str, _words: WordList) -> Slot:
    limits_text, _, codes_text = text.partition(" in ")
    limits = _range(limits_text, "5-200")
    codes = tuple(codes_text.split()) or ("EUR", "USD", "GBP")
    for code in codes:
        if code not in _CURRENCIES:
            raise SlotProblem(f"unknown currency {code!r}; use {', '.join(_CURRENCIES)}")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        value = _steps(dice, limits)
        if limits.most < 500 and dice.chance(0.2):
            value = int(value) + dice.pick((0.5, 0.99, 0.25, 0.95))
        amount, code = _plain(value), dice.pick(codes)
        written = str(amount) if isinstance(amount, int) else f"{amount:.2f}"
        name, ways = _CURRENCIES[code]
        forms: dict[str, JsonValue] = {
            DEFAULT: amount,
            "currency": code,
            "cents": round(value * 100),
            "object": {"amount": amount, "currency": code},
            "text": f"{written} {code}",
        }
        return Spoken(said=dice.pick(ways).format(written), told=f"{written} {name}", forms=forms)

    number: JsonObject = {"type": "number"}
    currency: JsonObject = {"type": "string", "enum": list(codes)}
    return Slot(
        schemas={
            DEFAULT: number,
            "currency": currency,
            "cents": {"type": "integer", "description": "in cents"},
            "object": {
                "type": "object",
                "properties": {"amount": number, "currency": currency},
                "required": ["amount", "currency"],
            },
            "text": {"type": "string", "description": "with the currency, such as 20 EUR"},
        },
        draw=draw,
    )


def _code(text: str, _words: WordList) -> Slot:
    text = text.strip("\"'")
    if not text:
        raise SlotProblem("a code needs a pattern: # is a digit, @ a capital letter, % a small letter")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        signs = {"#": "0123456789", "@": "ABCDEFGHJKLMNPQRSTUVWXYZ", "%": "abcdefghjkmnpqrstuvwxyz"}
        written = "".join(dice.pick(signs[sign]) if sign in signs else sign for sign in text)
        value = re.sub(r"^0", "7", written)
        forms: dict[str, JsonValue] = {DEFAULT: value}
        if value.isdigit():
            forms["integer"] = int(value)
        return Spoken(said=value, told=value, forms=forms)

    schemas: dict[str, JsonObject] = {DEFAULT: {"type": "string"}}
    if not text.strip("#0123456789"):
        schemas["integer"] = {"type": "integer"}
    return Slot(schemas=schemas, draw=draw)


def _phone(_text: str, _words: WordList) -> Slot:
    def draw(dice: Dice, _today: date | None) -> Spoken:
        groups = [f"0{dice.between(20, 99)}", f"{dice.between(200, 999)}", f"{dice.between(1000, 9999)}"]
        written = " ".join(groups)
        return Spoken(said=written, told=written, forms={DEFAULT: written, "digits": "".join(groups)})

    digits: JsonObject = {"type": "string", "description": "digits only"}
    return Slot(schemas={DEFAULT: {"type": "string"}, "digits": digits}, draw=draw)


_STREETS: Final = (
    "Mill Road,Station Street,High Street,Park Avenue,Church Lane,Elm Street,Oak Drive,Harbour Street,Bridge Road,"
    "Queen Street,Garden Row,Market Square,School Lane,North Street,Lake View,Hill Road,Victoria Road,Rose Street,"
    "River Walk,Cedar Close,Abbey Road,King Street,South Parade,Maple Avenue,Castle Hill,West Street,Orchard Way,"
    "Chapel Street,Meadow Lane,Canal Street,Forest Drive,Union Street,Willow Court,East Road,Tower Street,Poplar Row"
).split(",")


def _address(_text: str, words: WordList) -> Slot:
    def draw(dice: Dice, _today: date | None) -> Spoken:
        number, street = dice.between(1, 240), dice.pick(words.of(_STREETS))
        written = f"{number} {street}"
        forms: dict[str, JsonValue] = {
            DEFAULT: written,
            "object": {"street": street, "number": number},
        }
        return Spoken(said=written, told=written, forms=forms)

    schema: JsonObject = {
        "type": "object",
        "properties": {"street": {"type": "string"}, "number": {"type": "integer"}},
        "required": ["street", "number"],
    }
    return Slot(schemas={DEFAULT: {"type": "string"}, "object": schema}, draw=draw)


def _text(draw_text: Callable[[Dice, WordList], str]) -> Callable[[str, WordList], Slot]:
    """Return a kind whose values people say exactly as they are."""

    def make(_text: str, words: WordList) -> Slot:
        def draw(dice: Dice, _today: date | None) -> Spoken:
            value = draw_text(dice, words)
            return Spoken(said=value, told=value, forms={DEFAULT: value})

        return Slot(schemas={DEFAULT: {"type": "string"}}, draw=draw)

    return make


def _full_name(dice: Dice, words: WordList) -> str:
    return f"{dice.pick(words.people)} {dice.pick(words.of(vocabulary.FAMILIES))}"


PLAIN_KINDS: Final[Mapping[str, Callable[[str, WordList], Slot]]] = {
    "integer": _integer,
    "number": _number,
    "people": _people,
    "percent": _percent,
    "money": _money,
    "code": _code,
    "phone": _phone,
    "address": _address,
    "city": _text(lambda dice, words: dice.pick(words.places)),
    "person": _text(lambda dice, words: dice.pick(words.people)),
    "full name": _text(_full_name),
    "email": _text(formal.draw_address),
    "website": _text(formal.draw_site),
    "path": _text(formal.draw_path),
    "thing": _text(lambda dice, words: dice.pick(words.things)),
    "topic": _text(lambda dice, words: dice.pick(words.topics)),
}
"""The kinds of slots that do not depend on a date or a time, by name."""
