"""Write requests and answers the way people type them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.training.synth.kinds import KINDS
from workbench.training.synth.results import SynthResult
from workbench.training.synth.tools import Param, Tool
from workbench.training.synth.values import SpokenValue
from workbench.training.synth.vocabulary import (
    BARE,
    CLOSINGS,
    GIVEN,
    JOINTS,
    NAMED,
    OFF,
    ON,
    OPENINGS,
    PREFACES,
    REQUESTS,
)
from workbench.training.synth.words import Dice, WordList, with_articles
from workbench.trajectory.trajectory import Call, Part, Prose, Result, RowMessage

_OPEN: Final = "\ue000"
_CLOSE: Final = "\ue001"
_END_OPEN: Final = "\ue002"
_PROTECTED: Final = re.compile(f"({_OPEN}[^{_CLOSE}]*{_CLOSE})")


def chosen(dice: Dice, tool: Tool, *, without: Sequence[Param] = ()) -> list[tuple[Param, SpokenValue]]:
    """Draw values for a call: for all required parameters and some of the others."""
    return [
        (param, param.slot.draw(dice))
        for param in tool.params
        if param not in without and (param.is_required or dice.chance(0.45))
    ]


def arguments_of(values: Sequence[tuple[Param, SpokenValue]]) -> JsonObject:
    """Return the arguments of a call, in the order of the schema."""
    return {param.name: value.value for param, value in values}


def request(
    dice: Dice,
    words: WordList,
    tool: Tool,
    values: Sequence[tuple[Param, SpokenValue]],
    *,
    is_part: bool = False,
) -> str:
    """Write a request for one call.

    Args:
        tool: The tool to call.
        values: The arguments of the call.
        is_part: True if more text follows, so that a text value must be quoted.
    """
    form = dice.pick(words.of(REQUESTS[tool.purpose]))
    if not values:
        form = form.replace("{a}, what", "What").replace("{a}: {v}", "{V}")
    clause = clause_of(
        dice, words, tool, values, may_end_open=not is_part and form.rstrip(".?").endswith("{a}")
    )
    is_open = clause.endswith(_END_OPEN)
    arguments_text = clause.removesuffix(_END_OPEN)
    text = form.format(
        n=tool.noun, v=tool.verb, V=tool.verb.capitalize(), t=protected(tool.name), a=arguments_text
    )
    text = re.sub(r" +([.,?]|$)", r"\1", re.sub(r"  +", " ", text)).replace("and and", "and")
    text = text.rstrip(".?") if is_open else text
    return with_articles(text)


def clause_of(
    dice: Dice,
    words: WordList,
    tool: Tool,
    values: Sequence[tuple[Param, SpokenValue]],
    *,
    may_end_open: bool,
) -> str:
    """Write the arguments of a request. A text without quotes comes last, followed by `_END_OPEN`."""
    mentions = dice.some(values, len(values)) if dice.chance(0.35) else list(values)
    numbers = [param for param in tool.params if param.kind in ("number", "integer")]
    if [param for param, _ in mentions] == numbers and len(numbers) == 2 and dice.chance(0.4):
        first, second = (protected(value.text) for _, value in mentions)
        return f"{dice.pick(('of', 'for', 'from'))} {first} {dice.pick(('and', 'and', 'with'))} {second}"
    unquoted = [entry for entry in mentions if entry[1].text.startswith(": ")]
    is_open = may_end_open and len(unquoted) == 1
    if is_open:
        mentions = [entry for entry in mentions if entry is not unquoted[0]] + unquoted
    parts = [
        _mention(dice, words, tool, param, value) for param, value in (mentions[:-1] if is_open else mentions)
    ]
    if is_open:
        label = unquoted[0][0].label
        parts.append(
            f"{dice.pick((label, 'with the ' + label))}: {protected(unquoted[0][1].text[2:])}{_END_OPEN}"
        )
    text = parts[0] if parts else ""
    for part in parts[1:]:
        text += dice.pick(JOINTS) + part
    return text


def dressed(dice: Dice, words: WordList, text: str) -> str:
    """Add what people say around a request, and write it the way they type."""
    if dice.chance(0.35):
        text = dice.pick(words.of(OPENINGS)) + text
    if dice.chance(0.3) and not text.endswith(_CLOSE):
        ending = dice.pick(words.of(CLOSINGS))
        is_sentence = ending[1:2].isupper()
        text = (
            text + ending
            if is_sentence and text[-1:] in ".?!"
            else text.rstrip(".?!") + (f".{ending}" if is_sentence else ending)
        )
    return typed(dice, text)


TypingHabits = tuple[tuple[str, float], ...]
"""Ways to type with their shares: `clean`, `lower`, `bare`, `slips`, `loud`, `capital`, or `written` for no change."""
_HABITS: Final[TypingHabits] = (
    ("clean", 7.0),
    ("lower", 1.2),
    ("bare", 0.8),
    ("slips", 0.5),
    ("loud", 0.1),
    ("capital", 0.8),
)


def typed(dice: Dice, text: str, habits: TypingHabits = _HABITS) -> str:
    """Write a text the way a person types it. Protected values stay unchanged, and their marks are removed."""
    how = dice.weighted(habits)
    pieces = [_typed_piece(dice, piece, how) for piece in _PROTECTED.split(text)]
    text_typed = "".join(pieces).replace(_OPEN, "").replace(_CLOSE, "").strip()
    if how == "bare":
        return text_typed.rstrip(".?!")
    return (
        text_typed[:1].upper() + text_typed[1:]
        if how in ("clean", "capital") and not text.startswith(_OPEN)
        else text_typed
    )


def protected(text: str) -> str:
    """Mark a value so that typing mistakes do not change it."""
    return f"{_OPEN}{text}{_CLOSE}"


def _typed_piece(dice: Dice, piece: str, how: str) -> str:
    if piece.startswith(_OPEN):
        return piece
    if how == "lower":
        return piece.lower()
    if how == "loud":
        return piece.upper()
    return " ".join(_slip(dice, word) for word in piece.split(" ")) if how == "slips" else piece


def _slip(dice: Dice, word: str) -> str:
    if len(word) < 4 or not word.isalpha() or not dice.chance(0.15):
        return word
    place = dice.between(1, len(word) - 2)
    return dice.pick(
        (
            word[:place] + word[place + 1 :],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            word[:place] + word[place] + word[place:],
        )
    )


def _mention(dice: Dice, words: WordList, tool: Tool, param: Param, spoken: SpokenValue) -> str:
    label = param.label
    value = protected(f'"{spoken.text[2:]}"' if spoken.text.startswith(": ") else spoken.text)
    if param.kind == "flag" and dice.chance(0.65):
        forms = words.of(ON if spoken.value else OFF)
        return dice.pick(forms).format(l=label)
    naturals = KINDS[param.kind].naturals
    if naturals and _is_clear_from_kind(tool, param) and dice.chance(0.6):
        return dice.pick(naturals).format(value)
    if param.kind in ("integer", "choice", "number") and dice.chance(0.2):
        return dice.pick(BARE).format(l=label, v=value)
    return dice.pick(words.of(NAMED)).format(l=label, v=value)


def _is_clear_from_kind(tool: Tool, param: Param) -> bool:
    """Return whether a value alone shows its parameter: no other could take it, or its name describes its kind."""
    if any(other.kind == param.kind for other in tool.params if other is not param):
        return False
    same_type = [
        other for other in tool.params if other.slot.schema.get("type") == param.slot.schema.get("type")
    ]
    return len(same_type) == 1 or param.label in KINDS[param.kind].names


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The dice, words and tools of an exchange."""

    dice: Dice
    words: WordList
    tools: tuple[Tool, ...]
    """The tools that the conversation offers."""

    @property
    def tool(self) -> Tool:
        """A random tool of the conversation; another one each time."""
        return self.dice.pick(self.tools)

    def say(self, text: str) -> RowMessage:
        """Return a message of the user, with what people say around a request."""
        return user_message(dressed(self.dice, self.words, text))


def user_message(text: str) -> RowMessage:
    return RowMessage(role=Role.USER, parts=(Prose(text=text),))


def answer_message(text: str) -> RowMessage:
    return RowMessage(role=Role.ASSISTANT, parts=(Prose(text=text),))


def answers_message(scene: Scene, results: Sequence[SynthResult]) -> RowMessage:
    joint = scene.dice.pick((" ", " ", "\n"))
    return answer_message(joint.join(result.answer for result in results))


def result_message(result: SynthResult) -> RowMessage:
    return RowMessage(role=Role.TOOL, parts=(Result(text=result.text),))


def calls_message(scene: Scene, calls: Sequence[Call]) -> RowMessage:
    preface: tuple[Part, ...] = ()
    if scene.dice.chance(0.05):
        preface = (Prose(text=scene.dice.pick(scene.words.of(PREFACES))),)
    return RowMessage(role=Role.ASSISTANT, parts=(*preface, *calls))


def call_of(tool: Tool, values: Sequence[tuple[Param, SpokenValue]]) -> Call:
    return Call(name=tool.name, arguments=arguments_of(values))


def key_of(tool: Tool, values: Sequence[tuple[Param, SpokenValue]]) -> str:
    return f"{tool.name} {arguments_of(values)}"


def quotable(spoken: SpokenValue) -> SpokenValue:
    return SpokenValue(spoken.value, spoken.text.removeprefix(": "))


def given_later(scene: Scene, values: Sequence[tuple[Param, SpokenValue]]) -> str:
    """Write the missing values as an answer to the model's question."""
    if len(values) == 1:
        param, spoken = values[0]
        form = scene.dice.pick(scene.words.of(GIVEN))
        return typed(scene.dice, form.format(l=param.label, v=protected(spoken.text)))
    parts = [f"{param.label} {protected(spoken.text)}" for param, spoken in values]
    return typed(scene.dice, scene.dice.pick((" and ", ", ")).join(parts))
