"""Draw results of tools, and answers that report them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.spelling.tools import template_json
from workbench.training.synth import vocabulary
from workbench.training.synth.tools import Param, Tool
from workbench.training.synth.values import SpokenValue, listed
from workbench.training.synth.vocabulary import entries
from workbench.training.synth.words import Dice, WordList


class SynthResult(NamedTuple):
    """A result of a call, and the answer that reports it."""

    text: str
    answer: str


_FOUND: Final = entries("results", "found")
_DONE: Final = entries("results", "done")
_FAILED: Final = entries("results", "failed")
_ERRORS: Final = entries("results", "errors")
_UNSPOKEN: Final = frozenset({"flag", "list", "range", "record", "limit", "sentence"})
"""Kinds of parameters whose values answers do not repeat."""
_BRIEF: Final = entries("results", "brief")


def draw_result(
    dice: Dice, words: WordList, tool: Tool, values: Sequence[tuple[Param, SpokenValue]]
) -> SynthResult:
    """Draw a successful result."""
    if tool.purpose == "act":
        return _deed(dice, words, tool, values)
    short = [entry for entry in values if entry[0].kind not in _UNSPOKEN and len(str(entry[1].value)) < 24]
    echo = dice.pick(short) if short and dice.chance(0.8) else None
    value = _measured(dice, words, tool)
    unit = (
        dice.pick(words.of(vocabulary.UNITS)) if isinstance(value, int | float) and dice.chance(0.6) else ""
    )
    value_text = f"{_spoken(value)} {unit}".strip()
    return SynthResult(
        _result_text(dice, tool, echo, value, unit), _answer(dice, words, tool, echo, value_text)
    )


def draw_error(dice: Dice, words: WordList, tool: Tool, *, is_brief: bool = False) -> SynthResult:
    """Draw an error. With `is_brief`, it is temporary, so that another call may succeed."""
    problem = dice.pick(words.of(_BRIEF if is_brief else _ERRORS)).format(n=tool.noun)
    text = dice.pick(
        (
            template_json({"error": problem}),
            template_json({"error": problem}),
            template_json({"status": "error", "message": problem}),
            f"Error: {problem}",
        )
    )
    return SynthResult(text, dice.pick(words.of(_FAILED)).format(n=tool.noun, v=tool.verb, x=problem))


def _measured(dice: Dice, words: WordList, tool: Tool) -> JsonValue:
    whole = dice.between(0, dice.pick((20, 100, 5000)))
    decimal = round(whole + dice.between(1, 99) / 100, dice.pick((1, 2)))
    if tool.purpose == "sum":
        return dice.pick((whole, decimal))
    things: list[JsonValue] = list(dice.some(words.things, dice.between(2, 3)))
    return dice.weighted(
        (
            (whole, 3.0),
            (decimal, 3.0),
            (words.made_up(dice), 1.0),
            (dice.pick(words.of(vocabulary.STATES)), 1.0),
            (dice.pick(words.things), 1.0),
            (words.person(dice), 0.7),
            (things, 1.0),
            (f"{dice.between(0, 23):02d}:{dice.between(0, 59):02d}", 0.7),
        )
    )


def _result_text(
    dice: Dice, tool: Tool, echo: tuple[Param, SpokenValue] | None, value: JsonValue, unit: str
) -> str:
    own = dice.pick((tool.noun.replace(" ", "_"), "value", "result", "reading"))
    fields: JsonObject = {echo[0].name: echo[1].value} if echo else {}
    fields = {**fields, own if own not in fields else "result": value, **({"unit": unit} if unit else {})}
    if dice.chance(0.8):
        return template_json(fields)
    about = f"{echo[1].value}: " if echo else ""
    return f"{about}{_spoken(value)} {unit}".strip()


def _answer(
    dice: Dice, words: WordList, tool: Tool, echo: tuple[Param, SpokenValue] | None, value_text: str
) -> str:
    about = ""
    if echo:
        about = f" {dice.pick(('for', 'for', 'of'))} {echo[1].value}"
        if echo[0].kind in ("place",):
            about = f" {dice.pick(('in', 'for', 'in'))} {echo[1].value}"
    return dice.pick(words.of(_FOUND)).format(n=tool.noun, f=about, x=value_text)


def _deed(
    dice: Dice, words: WordList, tool: Tool, values: Sequence[tuple[Param, SpokenValue]]
) -> SynthResult:
    state = dice.pick(
        words.of(
            ("ok", "done", "created", "accepted", "queued", "sent", "saved", "confirmed", "booked", "started")
        )
    )
    number = f"{dice.pick('ABCDEFGHKLMNPRSTUVWXYZ')}{dice.between(10, 9999)}"
    fields: JsonObject = {dice.pick(("status", "state", "result")): state}
    facts = [f"the {tool.noun} is {state}"]
    if dice.chance(0.6):
        key = dice.pick(("id", "reference", "number"))
        fields = {**fields, key: number}
        facts.append(f"{key} {number}")
    short = [entry for entry in values if entry[0].kind not in _UNSPOKEN and len(str(entry[1].value)) < 30]
    if short and dice.chance(0.4):
        param, value = dice.pick(short)
        if param.name not in fields:
            fields = {**fields, param.name: value.value}
            facts.append(f"{param.label} {value.value}")
    text = template_json(fields)
    summary = listed(dice, facts)
    answer = dice.pick(words.of(_DONE)).format(n=tool.noun, x=summary, X=summary[:1].upper() + summary[1:])
    return SynthResult(text, answer)


def _spoken(value: JsonValue) -> str:
    if isinstance(value, list):
        items = [str(item) for item in value]
        return ", ".join(items[:-1]) + f" and {items[-1]}"
    return str(value)
