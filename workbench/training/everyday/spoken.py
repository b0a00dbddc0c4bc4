"""Values with the words that people use for them, and the slots that draw them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.training.synth.values import listed
from workbench.training.synth.words import Dice

DEFAULT: Final = "is"
"""Name of the form of a value that a parameter gets if it names no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A value in all forms that schemas may want it in, and in words."""

    request_text: str
    """As the user says it."""
    answer_text: str
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
        if self.pool or isinstance(value, bool) or not isinstance(value, int | float):
            return None
        takes_numbers = self.schemas[DEFAULT].get("type") in ("integer", "number")
        return spoken_number(value, request_text=str(value)) if takes_numbers else None


def spoken_number(value: float, *, request_text: str) -> Spoken:
    """Return a number with the forms that all numbers have."""
    return Spoken(
        request_text=request_text, answer_text=str(value), forms={DEFAULT: value, "text": str(value)}
    )


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
        entry, request_text = entries[place], dice.pick(ways[place])
        return Spoken(request_text=request_text, answer_text=entry.answer_text, forms=entry.forms)

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
                items.setdefault(item.answer_text, item)
        drawn = list(items.values())
        return Spoken(
            request_text=listed(dice, [item.request_text for item in drawn])
            if len(drawn) > 1
            else drawn[0].request_text,
            answer_text=answer_list([item.answer_text for item in drawn]),
            forms={name: [item.forms[name] for item in drawn] for name in slot.schemas},
        )

    return Slot(schemas=schemas, draw=draw)


def answer_list(items: list[str]) -> str:
    """Join texts with commas and "and"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
