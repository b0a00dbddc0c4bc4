"""Draw arguments: a schema, a value that matches it, and how a person says that value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.training.synth import vocabulary
from workbench.training.synth.words import Dice, WordList

Choices = tuple[tuple[str, str], ...]
"""Values of an enum: each as in the schema, and as a person may say it."""


class SpokenValue(NamedTuple):
    """A value, and how a person says it."""

    value: JsonValue
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSlot:
    """The schema and values of one parameter of a tool."""

    schema: JsonObject = field(hash=False)
    """JSON Schema, without description."""
    draw: Callable[[Dice], SpokenValue] = field(compare=False)
    """Draws a value that matches the schema."""
    hint: str = ""
    """Addition to the description, such as the format of a date. Empty for none."""


def texts(draw: Callable[[Dice, WordList], str], hint: str = "") -> Callable[[Dice, WordList], ParameterSlot]:
    """Return a function that makes slots for texts, which people say exactly as the value."""

    def make(dice: Dice, words: WordList) -> ParameterSlot:
        def draw_value(dice: Dice) -> SpokenValue:
            value = draw(dice, words)
            return SpokenValue(value, value)

        return ParameterSlot(schema={"type": "string"}, draw=draw_value, hint=hint)

    return make


def draw_place(dice: Dice, words: WordList) -> str:
    if dice.chance(0.06):
        return words.made_up(dice).capitalize()
    place = dice.pick(words.places)
    return place.lower() if dice.chance(0.12) else place


def draw_code(dice: Dice, words: WordList) -> str:
    number = dice.between(1, 99999)
    letters = "".join(dice.pick("ABCDEFGHKLMNPRSTUVWXYZ") for _ in range(dice.between(1, 3)))
    return dice.pick(
        (
            f"{letters}-{number}",
            f"{letters}{number:05d}",
            f"{number:05d}",
            f"#{number}",
            f"{number}/{letters.lower()}",
        )
    )


def draw_path(dice: Dice, words: WordList) -> str:
    name = f"{dice.pick(words.of(vocabulary.FILES))}{dice.pick(('', '_v2', '-' + str(dice.between(1, 40)), '_final'))}"
    name += f".{dice.pick(words.of(vocabulary.ENDINGS))}"
    folders = "/".join(dice.some(words.of(vocabulary.FOLDERS), dice.between(1, 3)))
    return dice.pick((name, f"/{folders}/{name}", f"{folders}/{name}", f"~/{folders}/{name}"))


def draw_address(dice: Dice, words: WordList) -> str:
    return (
        f"{dice.pick(words.people).lower()}@{words.made_up(dice)}.example.{dice.pick(('com', 'org', 'net'))}"
    )


def draw_site(dice: Dice, words: WordList) -> str:
    page = dice.pick(words.topics).replace(" ", "-").lower()
    return f"https://{words.made_up(dice)}.example.com/{dice.pick((page, page + '?page=' + str(dice.between(2, 30)), ''))}"


def _quoted(dice: Dice, words: WordList) -> SpokenValue:
    value = words.sentence(dice)
    return SpokenValue(
        value, dice.pick((f'"{value}"', f"'{value}'" if "'" not in value else f'"{value}"', f": {value}"))
    )


def draw_sentence(dice: Dice, words: WordList) -> ParameterSlot:
    return ParameterSlot(schema={"type": "string"}, draw=lambda dice: _quoted(dice, words))


def draw_date(dice: Dice, words: WordList) -> ParameterSlot:
    def draw_value(dice: Dice) -> SpokenValue:
        year, month, day = dice.between(2023, 2029), dice.between(1, 12), dice.between(1, 28)
        value, name = f"{year}-{month:02d}-{day:02d}", vocabulary.MONTHS[month - 1]
        spoken = dice.pick((f"{day} {name} {year}", f"{name} {day}, {year}"))
        return SpokenValue(value, spoken if dice.chance(0.2) else value)

    hint = dice.pick(("YYYY-MM-DD", "as YYYY-MM-DD", "ISO date"))
    schema: JsonObject = {"type": "string", "format": "date"} if dice.chance(0.3) else {"type": "string"}
    return ParameterSlot(schema=schema, draw=draw_value, hint=hint)


def draw_time(dice: Dice, words: WordList) -> ParameterSlot:
    def draw_value(dice: Dice) -> SpokenValue:
        hour, minute = dice.between(0, 23), dice.pick((0, 5, 10, 15, 20, 30, 40, 45, 50))
        value = f"{hour:02d}:{minute:02d}"
        return SpokenValue(value, f"{hour}:{minute:02d}" if dice.chance(0.15) else value)

    return ParameterSlot(
        schema={"type": "string"}, draw=draw_value, hint=dice.pick(("HH:MM", "24 hours, HH:MM"))
    )


_SMALL: Final = tuple("two,three,four,five,six,seven,eight,nine,ten,eleven,twelve".split(","))


def draw_integer(dice: Dice, words: WordList) -> ParameterSlot:
    least, most = dice.pick(((1, 12), (1, 12), (1, 100), (10, 5000), (-40, 40), (1000, 90000)))
    schema: JsonObject = {"type": "integer"}
    if least >= 0 and dice.chance(0.25):
        schema = {"type": "integer", "minimum": min(least, 1), "maximum": most}

    def draw_value(dice: Dice) -> SpokenValue:
        value = dice.between(least, most)
        is_word = 2 <= value <= 12 and dice.chance(0.15)
        return SpokenValue(value, _SMALL[value - 2] if is_word else str(value))

    return ParameterSlot(schema=schema, draw=draw_value)


def draw_number(dice: Dice, words: WordList) -> ParameterSlot:
    most = dice.pick((10, 10, 100, 1000, 20000))
    digits = dice.pick((0, 1, 1, 2))

    def draw_value(dice: Dice) -> SpokenValue:
        whole = dice.between(-most if dice.chance(0.08) else 1, most)
        if dice.chance(0.4) or not digits:
            return SpokenValue(whole, str(whole))
        value = round(whole + dice.between(1, 10**digits - 1) / 10**digits, digits)
        return SpokenValue(value, str(value))

    return ParameterSlot(schema={"type": "number"}, draw=draw_value)


def draw_flag(dice: Dice, words: WordList) -> ParameterSlot:
    def draw_value(dice: Dice) -> SpokenValue:
        value = dice.chance(0.55)
        return SpokenValue(value, dice.pick(("on", "true", "yes") if value else ("off", "false", "no")))

    return ParameterSlot(schema={"type": "boolean"}, draw=draw_value)


def _choices(dice: Dice, words: WordList) -> Choices:
    if dice.chance(0.3):
        made = [words.made_up(dice) for _ in range(dice.between(2, 4))]
        return tuple((word, word) for word in dict.fromkeys(made))
    return dice.pick(words.choices)


def draw_choice(dice: Dice, words: WordList) -> ParameterSlot:
    choices = _choices(dice, words)

    def draw_value(dice: Dice) -> SpokenValue:
        value, spoken = dice.pick(choices)
        return SpokenValue(value, spoken if dice.chance(0.3) else value)

    return ParameterSlot(schema={"type": "string", "enum": [value for value, _ in choices]}, draw=draw_value)


def listed(dice: Dice, items: list[str]) -> str:
    """Write several items the way a person lists them.

    >>> listed(Dice(1), ["a"])
    'a'
    """
    if len(items) < 2:
        return items[0]
    joint = dice.pick((" and ", " and ", ", and ", " & ", ", "))
    return ", ".join(items[:-1]) + joint + items[-1]


def draw_list(dice: Dice, words: WordList) -> ParameterSlot:
    kind = dice.pick(("thing", "person", "number", "made up", "place"))
    draws: Mapping[str, Callable[[Dice], SpokenValue]] = {
        "thing": lambda dice: _same(dice.pick(words.things)),
        "person": lambda dice: _same(dice.pick(words.people)),
        "place": lambda dice: _same(dice.pick(words.places)),
        "made up": lambda dice: _same(words.made_up(dice)),
        "number": lambda dice: _counted(dice.between(1, 200)),
    }
    item = "integer" if kind == "number" else "string"

    def draw_value(dice: Dice) -> SpokenValue:
        drawn = {value.text: value for value in (draws[kind](dice) for _ in range(dice.between(1, 4)))}
        return SpokenValue([value.value for value in drawn.values()], listed(dice, list(drawn)))

    return ParameterSlot(schema={"type": "array", "items": {"type": item}}, draw=draw_value)


def _same(text: str) -> SpokenValue:
    return SpokenValue(text, text)


def _counted(number: int) -> SpokenValue:
    return SpokenValue(number, str(number))


def draw_range(dice: Dice, words: WordList) -> ParameterSlot:
    low, high = dice.pick((("min", "max"), ("from", "to"), ("low", "high"), ("start", "end")))

    def draw_value(dice: Dice) -> SpokenValue:
        first = dice.between(0, 400)
        last = first + dice.between(1, 500)
        spoken = dice.pick(
            (f"{first} to {last}", f"{low} {first}, {high} {last}", f"between {first} and {last}")
        )
        return SpokenValue({low: first, high: last}, spoken)

    ends: JsonObject = {low: {"type": "integer"}, high: {"type": "integer"}}
    return ParameterSlot(
        schema={"type": "object", "properties": ends, "required": [low, high]}, draw=draw_value
    )


def draw_record(dice: Dice, words: WordList) -> ParameterSlot:
    """Make a slot for a nested object with a name and one or two more fields."""
    fields: JsonObject = {"name": {"type": "string"}}
    others = dice.some(("city", "age", "role"), dice.between(1, 2))
    for other in others:
        fields[other] = {"type": "integer" if other == "age" else "string"}

    def draw_value(dice: Dice) -> SpokenValue:
        value: dict[str, JsonValue] = {"name": words.person(dice)}
        spoken = [f"name {value['name']}"]
        for other in others:
            drawn: SpokenValue = {
                "age": lambda: _counted(dice.between(18, 90)),
                "city": lambda: _same(dice.pick(words.places)),
                "role": lambda: _same(dice.pick(("guest", "owner", "editor", "driver", "witness"))),
            }[other]()
            value[other] = drawn.value
            spoken.append(f"{other} {drawn.text}")
        return SpokenValue(value, listed(dice, spoken))

    return ParameterSlot(
        schema={"type": "object", "properties": fields, "required": ["name"]}, draw=draw_value
    )


def draw_limit(dice: Dice, words: WordList) -> ParameterSlot:
    """Make a slot for a number or null."""

    def draw_value(dice: Dice) -> SpokenValue:
        return SpokenValue(None, "null") if dice.chance(0.4) else _counted(dice.between(1, 300))

    return ParameterSlot(schema={"type": ["integer", "null"]}, draw=draw_value, hint="null for none")
