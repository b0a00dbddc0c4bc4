"""Draw requests with their values, calls, and results with the answers that report them."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.hermes.spelling.tools import template_json
from workbench.training.everyday.family import EverydayResult, Family
from workbench.training.everyday.sentences import (
    Mention,
    Sentence,
    Values,
    parse_sentence,
    write_answer,
    write_request,
)
from workbench.training.everyday.spoken import DEFAULT, Slot, Spoken
from workbench.training.everyday.tools import EverydayTool
from workbench.training.synth.words import Dice, WordList
from workbench.trajectory.trajectory import Call


class OfferedFamily(NamedTuple):
    """A family, and the variant of it that a conversation offers."""

    family: Family
    variant: tuple[EverydayTool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydayScene:
    """The dice, tools and day of an exchange."""

    dice: Dice
    words: WordList
    offered: tuple[OfferedFamily, ...]
    others: tuple[Family, ...]
    """Families of the same split whose tools are not offered."""
    today: date | None
    """Today's date if the system text says it, otherwise None."""

    @property
    def topic(self) -> OfferedFamily:
        """A random family that is offered; another one each time."""
        return self.dice.pick(self.offered)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCall:
    """A call with the values that it was made from."""

    offer: OfferedFamily
    tool: EverydayTool
    values: Mapping[str, Spoken]

    @property
    def call(self) -> Call:
        """The call."""
        return Call(name=self.tool.name, arguments=self.tool.arguments(self.values))

    @property
    def key(self) -> str:
        """The same text for equal calls."""
        return f"{self.tool.name} {template_json(dict(self.call.arguments))}"


class DrawnRequest(NamedTuple):
    """A request as the user says it, and the calls that it asks for."""

    text: str
    calls: tuple[DrawnCall, ...]


def fits(tool: EverydayTool, sentence: Sentence) -> bool:
    """Return whether a call of the tool has all values of the sentence, and the tool's conditions are met.

    The call may lack required values.
    """
    return sentence.needed <= tool.slots and all(
        sentence.pinned[slot, 1] == value if (slot, 1) in sentence.pinned else slot in sentence.needed
        for slot, value in tool.when.items()
    )


def is_complete(tool: EverydayTool, sentence: Sentence) -> bool:
    """Return whether the sentence can have all values that a call of the tool needs."""
    return fits(tool, sentence) and not tool.lacking(sentence.reachable(tool.slots))


def droppable(tool: EverydayTool, sentence: Sentence) -> frozenset[str]:
    """Return the slots that a call of the tool needs and the sentence may leave out."""
    if not fits(tool, sentence):
        return frozenset()
    return tool.lacking(sentence.needed)


def draw_values(
    scene: EverydayScene,
    offer: OfferedFamily,
    tool: EverydayTool,
    sentence: Sentence,
    mentions: Sequence[Mention],
) -> dict[tuple[str, int], Spoken]:
    """Draw the values of the mentions, and those that the sentence or the tool decides."""
    slots = offer.family.slots
    values: dict[tuple[str, int], Spoken] = {}
    conditions = {(slot, 1): value for slot, value in tool.when.items()}
    for (slot, number), value in {**conditions, **sentence.pinned}.items():
        pinned = slots[slot].pinned(value)
        if pinned is not None:
            values[slot, number] = pinned
    for mention in mentions:
        key = mention.slot, mention.number
        # Two cities of one request differ, and so do the values of two calls.
        taken = {spoken.answer_text for place, spoken in values.items() if place != key}
        if key in values and mention.slot in tool.when:
            # Say the value of the condition in a random way.
            values[key] = _way_of(scene, slots[mention.slot], values[key])
        elif key not in values:
            spoken = slots[mention.slot].draw(scene.dice, scene.today)
            for _ in range(20):
                if spoken.answer_text in taken:
                    spoken = slots[mention.slot].draw(scene.dice, scene.today)
            values[key] = spoken
    return values


def _way_of(scene: EverydayScene, slot: Slot, spoken: Spoken) -> Spoken:
    for _ in range(60):
        drawn = slot.draw(scene.dice, scene.today)
        if drawn.forms[DEFAULT] == spoken.forms[DEFAULT]:
            return drawn
    return spoken


def by_slot(values: Values, number: int = 1) -> dict[str, Spoken]:
    """Return the values of one call. A value without a number belongs to all calls."""
    first = {slot: spoken for (slot, place), spoken in values.items() if place == 1}
    return {**first, **{slot: spoken for (slot, place), spoken in values.items() if place == number}}


def draw_request(
    scene: EverydayScene,
    offer: OfferedFamily,
    sentence: Sentence,
    tool: EverydayTool,
    *,
    lacking: Set[str] = frozenset(),
) -> DrawnRequest:
    """Draw a request for a call of a tool.

    Args:
        lacking: Required slots that the request leaves out.
    """
    allowed = tool.slots - lacking
    forced = tool.lacking(sentence.needed & tool.slots) - lacking
    run = sentence.drawn(scene.dice, allowed, forced=forced)
    mentions = [piece for piece in run if isinstance(piece, Mention)]
    # A part in brackets may need others: the members of a nested object.
    present = {mention.slot for mention in mentions} | sentence.implied
    if missing := tool.lacking(present) - lacking:
        run = sentence.drawn(scene.dice, allowed, forced=forced | missing, share=1.0)
        mentions = [piece for piece in run if isinstance(piece, Mention)]
    values = draw_values(scene, offer, tool, sentence, mentions)
    numbers = sorted({1, *(number for _, number in values)})
    each = [by_slot(values, number) for number in numbers]
    calls = [DrawnCall(offer=offer, tool=_tool_for(offer, tool, own), values=own) for own in each]
    return DrawnRequest(write_request(run, values), tuple(calls))


def draw_lacking(
    scene: EverydayScene, offer: OfferedFamily, sentence: Sentence, tool: EverydayTool
) -> tuple[DrawnRequest, list[str]]:
    """Draw a request that leaves out required values.

    Returns:
        The request, and all slots that its call lacks.
    """
    # A slot that the sentence cannot have in any case is always missing.
    always = sorted(tool.lacking(sentence.reachable(tool.slots)))
    optional = sorted(droppable(tool, sentence).difference(always))
    count = 1 if not always else 0
    if optional and scene.dice.chance(0.2):
        count += 1
    lacking = [*always, *scene.dice.some(optional, count)]
    request = draw_request(scene, offer, sentence, tool, lacking=frozenset(lacking))
    # A part in brackets with two slots is left out as a whole.
    return request, [*lacking, *sorted(tool.lacking(request.calls[0].values.keys() | lacking))]


def _tool_for(offer: OfferedFamily, tool: EverydayTool, values: Mapping[str, Spoken]) -> EverydayTool:
    """Return the tool whose conditions the values meet. The second of two calls may need another one."""
    for candidate in (tool, *offer.variant):
        if all(
            slot in values and values[slot].forms[DEFAULT] == value for slot, value in candidate.when.items()
        ):
            return candidate
    return tool


def pick_request(
    scene: EverydayScene, offer: OfferedFamily, sentences: Sequence[Sentence]
) -> DrawnRequest | None:
    able = [
        (sentence, tool) for sentence in sentences for tool in offer.variant if is_complete(tool, sentence)
    ]
    if not able:
        return None
    # Each sentence has the same chance, no matter how many tools it fits.
    sentence = scene.dice.pick(list(dict.fromkeys(id(sentence) for sentence, _ in able)))
    chosen = [entry for entry in able if id(entry[0]) == sentence]
    return draw_request(scene, offer, chosen[0][0], scene.dice.pick(chosen)[1])


def draw_outcome(scene: EverydayScene, drawn: DrawnCall, *, is_error: bool = False) -> tuple[str, str] | None:
    """Draw a result as text, and the answer that reports it. None if the family has none for this call."""
    family = drawn.offer.family
    able = [
        result for result in family.results if result.is_error is is_error and _reports(family, result, drawn)
    ]
    if not able:
        return None
    result = scene.dice.pick(able)
    answers = [answer for answer in result.answers if _is_known(family, answer.needed, drawn)]
    answer = scene.dice.pick(answers)
    known = drawn.values.keys() | (family.slots.keys() - family.taken)
    run = answer.drawn(scene.dice, known)
    names = result_slots(result.result) | {piece.slot for piece in run if isinstance(piece, Mention)}
    values = {(slot, 1): spoken for slot, spoken in drawn.values.items()}
    for slot in sorted(names - drawn.values.keys()):
        values[slot, 1] = family.slots[slot].draw(scene.dice, scene.today)
    return template_json(_filled(result.result, values)), write_answer(run, values)


def _reports(family: Family, result: EverydayResult, drawn: DrawnCall) -> bool:
    is_right = all(
        slot in drawn.values and drawn.values[slot].forms[DEFAULT] == value
        for slot, value in result.when.items()
    )
    return (
        is_right
        and _is_known(family, result_slots(result.result), drawn)
        and any(_is_known(family, answer.needed, drawn) for answer in result.answers)
    )


def _is_known(family: Family, names: Set[str], drawn: DrawnCall) -> bool:
    return all(name in drawn.values or name not in family.taken for name in names)


@cache
def _parsed(text: str) -> Sentence:
    """Parse a text of a result. The same one is drawn again and again."""
    return parse_sentence(text)


def result_mentions(result: JsonValue) -> list[Mention]:
    """Return the slots that a result mentions."""
    if isinstance(result, str):
        return list(_parsed(result).mentions)
    if isinstance(result, Mapping):
        return [mention for value in result.values() for mention in result_mentions(value)]
    if isinstance(result, list):
        return [mention for value in result for mention in result_mentions(value)]
    return []


def result_slots(result: JsonValue) -> frozenset[str]:
    """Return the names of the slots that a result mentions."""
    return frozenset(mention.slot for mention in result_mentions(result))


def _filled(result: JsonValue, values: Values) -> JsonValue:
    if isinstance(result, str):
        parts = _parsed(result).parts
        if len(parts) == 1 and isinstance(parts[0], Mention):
            # A text that is only a slot becomes its value, with its type.
            mention = parts[0]
            spoken = values[mention.slot, 1]
            return spoken.forms[mention.style or DEFAULT]
        texts = [
            part if isinstance(part, str) else str(values[part.slot, 1].forms[part.style or DEFAULT])
            for part in parts
            if isinstance(part, str | Mention)
        ]
        return "".join(texts)
    if isinstance(result, Mapping):
        return {key: _filled(value, values) for key, value in result.items()}
    if isinstance(result, list):
        return [_filled(value, values) for value in result]
    return result
