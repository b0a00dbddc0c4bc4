"""Phrase requests and answers, with the habits of people who type."""

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
_KEPT: Final = re.compile(f"({_OPEN}[^{_CLOSE}]*{_CLOSE})")


def chosen(dice: Dice, tool: Tool, *, without: Sequence[Param] = ()) -> list[tuple[Param, SpokenValue]]:
    """Values for a call: of all required parameters and some of the others."""
    return [
        (param, param.slot.draw(dice))
        for param in tool.params
        if param not in without and (param.is_required or dice.chance(0.45))
    ]


def arguments_of(values: Sequence[tuple[Param, SpokenValue]]) -> JsonObject:
    """The arguments of a call, in the order of the schema."""
    return {param.name: said.value for param, said in values}


def request(
    dice: Dice,
    words: WordList,
    tool: Tool,
    values: Sequence[tuple[Param, SpokenValue]],
    *,
    is_part: bool = False,
) -> str:
    """A request for one call, in plain words.

    Args:
        dice: Its chance.
        words: The split's words.
        tool: What is to be called.
        values: With which arguments.
        is_part: Whether something follows: then no text stands without quotes.
    """
    form = dice.pick(words.of(REQUESTS[tool.purpose]))
    if not values:
        form = form.replace("{a}, what", "What").replace("{a}: {v}", "{V}")
    clause = clause_of(
        dice, words, tool, values, may_end_open=not is_part and form.rstrip(".?").endswith("{a}")
    )
    is_open = clause.endswith(_END_OPEN)
    said = clause.removesuffix(_END_OPEN)
    text = form.format(n=tool.noun, v=tool.verb, V=tool.verb.capitalize(), t=_keep(tool.name), a=said)
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
    """The arguments in words; a text without quotes stands last, and `_END_OPEN` behind it."""
    said = dice.some(values, len(values)) if dice.chance(0.35) else list(values)
    numbers = [param for param in tool.params if param.kind in ("number", "integer")]
    if [param for param, _ in said] == numbers and len(numbers) == 2 and dice.chance(0.4):
        first, second = (_keep(one.text) for _, one in said)
        return f"{dice.pick(('of', 'for', 'from'))} {first} {dice.pick(('and', 'and', 'with'))} {second}"
    loose = [one for one in said if one[1].text.startswith(": ")]
    is_open = may_end_open and len(loose) == 1
    if is_open:
        said = [one for one in said if one is not loose[0]] + loose
    parts = [_mention(dice, words, tool, param, one) for param, one in (said[:-1] if is_open else said)]
    if is_open:
        label = loose[0][0].label
        parts.append(f"{dice.pick((label, 'with the ' + label))}: {_keep(loose[0][1].text[2:])}{_END_OPEN}")
    text = parts[0] if parts else ""
    for part in parts[1:]:
        text += dice.pick(JOINTS) + part
    return text


def dressed(dice: Dice, words: WordList, text: str) -> str:
    """A request with what people say around it, and as they type it."""
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


def typed(dice: Dice, text: str) -> str:
    """A text as a person types it, values left alone; the marks around them are taken away."""
    how = dice.weighted(
        (("clean", 7.0), ("lower", 1.2), ("bare", 0.8), ("slips", 0.5), ("loud", 0.1), ("capital", 0.8))
    )
    pieces = [_typed_piece(dice, piece, how) for piece in _KEPT.split(text)]
    done = "".join(pieces).replace(_OPEN, "").replace(_CLOSE, "").strip()
    if how == "bare":
        return done.rstrip(".?!")
    return done[:1].upper() + done[1:] if how in ("clean", "capital") and not text.startswith(_OPEN) else done


def kept(text: str) -> str:
    """`text` as a value that no slip of the typing changes."""
    return _keep(text)


def _keep(text: str) -> str:
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


def _mention(dice: Dice, words: WordList, tool: Tool, param: Param, said: SpokenValue) -> str:
    label = param.label
    value = _keep(f'"{said.text[2:]}"' if said.text.startswith(": ") else said.text)
    if param.kind == "flag" and dice.chance(0.65):
        forms = words.of(ON if said.value else OFF)
        return dice.pick(forms).format(l=label)
    naturals = KINDS[param.kind].naturals
    if naturals and _is_told_by_kind(tool, param) and dice.chance(0.6):
        return dice.pick(naturals).format(value)
    if param.kind in ("integer", "choice", "number") and dice.chance(0.2):
        return dice.pick(BARE).format(l=label, v=value)
    return dice.pick(words.of(NAMED)).format(l=label, v=value)


def _is_told_by_kind(tool: Tool, param: Param) -> bool:
    """Whether a value alone tells whose it is: no other parameter could take it, or its name says the kind."""
    if any(other.kind == param.kind for other in tool.params if other is not param):
        return False
    alike = [other for other in tool.params if other.slot.schema.get("type") == param.slot.schema.get("type")]
    return len(alike) == 1 or param.label in KINDS[param.kind].names


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where an exchange takes place."""

    dice: Dice
    words: WordList
    """The split's words."""
    tools: tuple[Tool, ...]
    """What the conversation offers; the first is what it is about."""

    @property
    def tool(self) -> Tool:
        """One of them."""
        return self.dice.pick(self.tools)

    def say(self, text: str) -> RowMessage:
        """A user's message, dressed as people write."""
        return user_message(dressed(self.dice, self.words, text))


def user_message(text: str) -> RowMessage:
    return RowMessage(role=Role.USER, parts=(Prose(text=text),))


def answer_message(text: str) -> RowMessage:
    return RowMessage(role=Role.ASSISTANT, parts=(Prose(text=text),))


def answers_message(scene: Scene, told: Sequence[SynthResult]) -> RowMessage:
    joint = scene.dice.pick((" ", " ", "\n"))
    return answer_message(joint.join(one.answer for one in told))


def result_message(told: SynthResult) -> RowMessage:
    return RowMessage(role=Role.TOOL, parts=(Result(text=told.text),))


def calls_message(scene: Scene, calls: Sequence[Call]) -> RowMessage:
    preface: tuple[Part, ...] = ()
    if scene.dice.chance(0.05):
        preface = (Prose(text=scene.dice.pick(scene.words.of(PREFACES))),)
    return RowMessage(role=Role.ASSISTANT, parts=(*preface, *calls))


def call_of(tool: Tool, values: Sequence[tuple[Param, SpokenValue]]) -> Call:
    return Call(name=tool.name, arguments=arguments_of(values))


def key_of(tool: Tool, values: Sequence[tuple[Param, SpokenValue]]) -> str:
    return f"{tool.name} {arguments_of(values)}"


def quotable(said: SpokenValue) -> SpokenValue:
    return SpokenValue(said.value, said.text.removeprefix(": "))


def given_later(scene: Scene, given: Sequence[tuple[Param, SpokenValue]]) -> str:
    """The missing values, as one gives them when asked."""
    if len(given) == 1:
        param, said = given[0]
        form = scene.dice.pick(scene.words.of(GIVEN))
        return typed(scene.dice, form.format(l=param.label, v=kept(said.text)))
    parts = [f"{param.label} {kept(said.text)}" for param, said in given]
    return typed(scene.dice, scene.dice.pick((" and ", ", ")).join(parts))
