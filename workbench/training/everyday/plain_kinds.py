"""Slots for numbers, money, codes, names and other values that do not depend on a date or a time."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.training.everyday.spoken import DEFAULT, Slot, SlotProblem, Spoken, number_words, spoken_number
from workbench.training.synth import values as formal
from workbench.training.synth import vocabulary
from workbench.training.synth.words import Dice, WordList


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
        return spoken_number(value, request_text=_in_words(dice, value))

    return Slot(schemas={DEFAULT: {"type": "integer"}, "text": {"type": "string"}}, draw=draw)


def _number(text: str, _words: WordList) -> Slot:
    limits = _range(text, "1-10 by 0.5")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        value = _plain(_steps(dice, limits))
        request_text = str(value)
        if isinstance(value, int):
            request_text = _in_words(dice, value, 0.2)
        elif 1 < value < 12 and value % 1 == 0.5 and dice.chance(0.35):
            request_text = f"{number_words(int(value))} and a half"
        return spoken_number(value, request_text=request_text)

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
        answer_text = "1 person" if count == 1 else f"{count} people"
        return Spoken(
            request_text=dice.pick(ways), answer_text=answer_text, forms={DEFAULT: count, "text": str(count)}
        )

    return Slot(schemas={DEFAULT: {"type": "integer"}, "text": {"type": "string"}}, draw=draw)


def _percent(text: str, _words: WordList) -> Slot:
    limits = _range(text, "5-100 by 5")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        value = int(_steps(dice, limits))
        ways = [f"{value}%", f"{value} percent", f"{value} %"]
        if value % 10 == 0:
            ways.append(f"{number_words(value)} percent")
        forms: dict[str, JsonValue] = {DEFAULT: value, "fraction": _plain(value / 100), "text": f"{value}%"}
        return Spoken(request_text=dice.pick(ways), answer_text=f"{value}%", forms=forms)

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
        return Spoken(
            request_text=dice.pick(ways).format(written), answer_text=f"{written} {name}", forms=forms
        )

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


_CODE_SIGNS: Final = {"#": "0123456789", "@": "ABCDEFGHJKLMNPQRSTUVWXYZ", "%": "abcdefghjkmnpqrstuvwxyz"}
"""What the signs of a pattern stand for."""


def _code(text: str, _words: WordList) -> Slot:
    is_cut_off = any(text.count(quote) % 2 for quote in "\"'")
    text = text.strip("\"'")
    if is_cut_off or not any(sign in text for sign in _CODE_SIGNS):
        raise SlotProblem(
            f"{text!r} is not a pattern; YAML reads # after a space as a comment, so write it in quotes, as in "
            '"code ####": # is a digit, @ a capital letter, % a small letter'
        )

    def draw(dice: Dice, _today: date | None) -> Spoken:
        written = "".join(dice.pick(_CODE_SIGNS[sign]) if sign in _CODE_SIGNS else sign for sign in text)
        value = re.sub(r"^0", "7", written)
        forms: dict[str, JsonValue] = {DEFAULT: value}
        if value.isdigit():
            forms["integer"] = int(value)
        return Spoken(request_text=value, answer_text=value, forms=forms)

    schemas: dict[str, JsonObject] = {DEFAULT: {"type": "string"}}
    if not text.strip("#0123456789"):
        schemas["integer"] = {"type": "integer"}
    return Slot(schemas=schemas, draw=draw)


def _phone(_text: str, _words: WordList) -> Slot:
    def draw(dice: Dice, _today: date | None) -> Spoken:
        groups = [f"0{dice.between(20, 99)}", f"{dice.between(200, 999)}", f"{dice.between(1000, 9999)}"]
        written = " ".join(groups)
        return Spoken(
            request_text=written, answer_text=written, forms={DEFAULT: written, "digits": "".join(groups)}
        )

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
        forms: dict[str, JsonValue] = {DEFAULT: written, "object": {"street": street, "number": number}}
        return Spoken(request_text=written, answer_text=written, forms=forms)

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
            return Spoken(request_text=value, answer_text=value, forms={DEFAULT: value})

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
