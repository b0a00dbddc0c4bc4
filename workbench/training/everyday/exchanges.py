"""Draw exchanges about everyday tools, from a request to its answer: one function for each kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from workbench.chat.message import Role
from workbench.training.everyday.drawing import (
    DrawnCall,
    DrawnRequest,
    EverydayScene,
    OfferedFamily,
    by_slot,
    draw_lacking,
    draw_outcome,
    draw_values,
    droppable,
    pick_request,
)
from workbench.training.everyday.family import Family, NoCallExample
from workbench.training.everyday.sentences import Mention, Sentence, write_answer, write_request
from workbench.training.everyday.spoken import Spoken
from workbench.training.synth.chats import SMALL_TALK, draw_chat
from workbench.training.synth.phrasing import TypingHabits, answer_message, protected, typed, user_message
from workbench.training.synth.vocabulary import THANKS
from workbench.trajectory.trajectory import Result, RowMessage

EverydayExchange = Callable[[EverydayScene], list[RowMessage] | None]
"""Returns None if the offered families cannot make this kind of exchange."""

_HABITS: Final[TypingHabits] = (
    ("written", 12.0),
    ("lower", 1.2),
    ("bare", 1.2),
    ("slips", 0.8),
    ("capital", 0.8),
)


def _user(scene: EverydayScene, text: str) -> RowMessage:
    return user_message(typed(scene.dice, text, _HABITS))


def _call_message(calls: Sequence[DrawnCall]) -> RowMessage:
    return RowMessage(role=Role.ASSISTANT, parts=tuple(drawn.call for drawn in calls))


def _result_message(text: str) -> RowMessage:
    return RowMessage(role=Role.TOOL, parts=(Result(text=text),))


def _fulfilled(
    scene: EverydayScene, request: DrawnRequest, *, is_error: bool = False, addition: str = ""
) -> list[RowMessage] | None:
    """Return the calls of a request, their results and an answer. None if two calls are equal or have no result."""
    outcomes = [draw_outcome(scene, drawn, is_error=is_error) for drawn in request.calls]
    found = [outcome for outcome in outcomes if outcome is not None]
    if len(found) < len(outcomes) or len({drawn.key for drawn in request.calls}) < len(request.calls):
        return None
    answer = " ".join([*(answer for _, answer in found), *([addition] if addition else [])])
    return [
        _call_message(request.calls),
        *(_result_message(text) for text, _ in found),
        answer_message(answer),
    ]


def _asked(
    scene: EverydayScene, request: DrawnRequest | None, *, is_error: bool = False
) -> list[RowMessage] | None:
    if request is None:
        return None
    rest = _fulfilled(scene, request, is_error=is_error)
    return [_user(scene, request.text), *rest] if rest else None


def single(scene: EverydayScene) -> list[RowMessage] | None:
    """One call, its result and an answer."""
    offer = scene.topic
    return _asked(scene, pick_request(scene, offer, offer.family.requests))


def failed(scene: EverydayScene) -> list[RowMessage] | None:
    """One call whose result is an error, which the answer reports."""
    offer = scene.topic
    return _asked(scene, pick_request(scene, offer, offer.family.requests), is_error=True)


def parallel(scene: EverydayScene) -> list[RowMessage] | None:
    """Several calls of one tool in one message."""
    offer = scene.topic
    return _asked(scene, pick_request(scene, offer, offer.family.parallel))


_SENTENCE_LINKS: Final = (
    "",
    "",
    "Also, ",
    "And ",
    "Then ",
    "Oh, and ",
    "While you're at it, ",
    "Next, ",
    "Plus, ",
    "Another thing: ",
)
"""What a second request may begin with after a full stop or a question mark."""
_CLAUSE_LINKS: Final = (
    ", and ",
    " and ",
    "; ",
    ", then ",
    " & ",
    ", also ",
    " + ",
    " plus ",
    ", and then ",
    "\n",
)
"""What may join two requests without a full stop."""


def _linked(scene: EverydayScene, first: str, second: str) -> str:
    """Join two requests to one message."""
    begins_small = second[:1].islower() or second.startswith(("I ", "I'"))
    if first[-1:] in ".?!" or scene.dice.chance(0.3):
        link = scene.dice.pick(scene.words.of(_SENTENCE_LINKS))
        second = second if begins_small or not link else _small(second)
        return f"{first if first[-1:] in '.?!' else f'{first}.'} {link}{second}"
    return (
        first + scene.dice.pick(scene.words.of(_CLAUSE_LINKS)) + (second if begins_small else _small(second))
    )


def _small(text: str) -> str:
    """Begin a sentence with a small letter, unless it begins with a value."""
    return text[:1].lower() + text[1:]


def parallel_two(scene: EverydayScene) -> list[RowMessage] | None:
    """Requests to two families in one message."""
    if len(scene.offered) < 2:
        return None
    offers = scene.dice.some(scene.offered, 2)
    drawn = [pick_request(scene, offer, _joinable(offer.family.requests)) for offer in offers]
    first, second = drawn
    if first is None or second is None:
        return None
    text = _linked(scene, first.text, second.text)
    return _asked(scene, DrawnRequest(text, (*first.calls, *second.calls)))


def _joinable(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the shorter sentences. Long ones with a story do not fit with others into one message."""
    short = [sentence for sentence in sentences if len(sentence.text) < 90 and sentence.text.count(". ") == 0]
    return short or list(sentences)


def mixed(scene: EverydayScene) -> list[RowMessage] | None:
    """A request together with a question that needs no tool. The answer covers both."""
    offer = scene.topic
    request = pick_request(scene, offer, _joinable(offer.family.requests))
    if request is None:
        return None
    question, reply = _small_talk(scene, offer)
    is_last = scene.dice.chance(0.7)
    first, second = (request.text, question) if is_last else (question, request.text)
    rest = _fulfilled(scene, request, addition=reply)
    text = f"{first if first[-1:] in '.?!' else first + '.'} {second}"
    return [_user(scene, text), *rest] if rest else None


def _small_talk(scene: EverydayScene, offer: OfferedFamily) -> tuple[str, str]:
    if scene.dice.chance(0.6) or not offer.family.chats:
        return draw_chat(scene.dice, scene.words)
    return _no_call_texts(scene, offer.family, scene.dice.pick(offer.family.chats))


def _no_call_texts(scene: EverydayScene, family: Family, example: NoCallExample) -> tuple[str, str]:
    run = example.say.drawn(scene.dice, family.slots.keys())
    mentioned = {(piece.slot, piece.number) for piece in run if isinstance(piece, Mention)}
    values = {key: family.slots[key[0]].draw(scene.dice, scene.today) for key in sorted(mentioned)}
    answer = example.answer.drawn(scene.dice, {slot for slot, _ in values})
    return write_request(run, values), write_answer(answer, values)


def follow_up(scene: EverydayScene) -> list[RowMessage] | None:
    """A call, then a request that changes some of its values, and the call with them."""
    offer = scene.topic
    first = pick_request(scene, offer, offer.family.requests)
    opening = _asked(scene, first)
    if first is None or opening is None:
        return None
    before = first.calls[0]
    # A parallel request would not be one that a follow-up changes.
    able = [
        sentence
        for sentence in offer.family.follow_ups
        if sentence.needed <= before.tool.slots
        and all(slot not in before.tool.when for slot in sentence.needed)
        and not before.tool.lacking(before.values.keys() | sentence.needed)
    ]
    if not able:
        return None
    sentence = scene.dice.pick(able)
    run = sentence.drawn(scene.dice, before.tool.slots)
    mentions = [piece for piece in run if isinstance(piece, Mention)]
    values = draw_values(scene, offer, before.tool, sentence, mentions)
    changed = replace(before, values={**before.values, **by_slot(values)})
    rest = _fulfilled(scene, DrawnRequest("", (changed,)))
    if rest is None or changed.key == before.key:
        return None
    return [*opening, _user(scene, write_request(run, values)), *rest]


def missing(scene: EverydayScene) -> list[RowMessage] | None:
    """A request without a required value. The model asks, and often the user answers and the call follows."""
    offer = scene.topic
    family = offer.family
    able = [
        (sentence, tool)
        for sentence in family.requests
        for tool in offer.variant
        if droppable(tool, sentence) and droppable(tool, sentence) <= family.asks.keys()
    ]
    if not able:
        return None
    sentence, tool = scene.dice.pick(able)
    request, lacking = draw_lacking(scene, offer, sentence, tool)
    if len(lacking) > 2 or not family.asks.keys() >= set(lacking):
        return None
    opening = [
        _user(scene, request.text),
        answer_message(" ".join(_question(scene, family, slot) for slot in lacking)),
    ]
    if scene.dice.chance(0.4):
        return opening
    given = {slot: family.slots[slot].draw(scene.dice, scene.today) for slot in lacking}
    reply = ", ".join(_reply(scene, family, slot, spoken) for slot, spoken in given.items())
    call = DrawnCall(offer=offer, tool=tool, values={**request.calls[0].values, **given})
    rest = _fulfilled(scene, DrawnRequest("", (call,)))
    return [*opening, _user(scene, reply), *rest] if rest else opening


def _question(scene: EverydayScene, family: Family, slot: str) -> str:
    sentence = scene.dice.pick(family.asks[slot])
    return write_answer(sentence.drawn(scene.dice, frozenset()), {})


def _reply(scene: EverydayScene, family: Family, slot: str, spoken: Spoken) -> str:
    values = {(slot, 1): spoken}
    if slot in family.gives and scene.dice.chance(0.7):
        return write_request(scene.dice.pick(family.gives[slot]).drawn(scene.dice, {slot}), values)
    form = scene.dice.pick(
        scene.words.of(
            ("{}", "{}", "{} please", "{}.", "{}", "{}, please", "make it {}", "{}", "{} thanks", "{}")
        )
    )
    return form.format(protected(spoken.request_text))


def near_miss(scene: EverydayScene) -> list[RowMessage] | None:
    """A request that looks alike and that no offered tool can fulfil."""
    offer = scene.topic
    if not offer.family.near_misses:
        return None
    text, answer = _no_call_texts(scene, offer.family, scene.dice.pick(offer.family.near_misses))
    return [_user(scene, text), answer_message(answer)]


_REFUSALS: Final = (
    "I can't {a} with the tools that I have.",
    "Sorry, I don't have a tool to {a}.",
    "None of my tools can {a}.",
    "I'm afraid that I can't {a} here.",
    "I have no tool to {a}, sorry.",
    "That's something I can't do: I have no way to {a}.",
    "I'm not able to {a} with these tools.",
    "My tools can't {a}.",
    "Sorry, I can't {a}. No tool of mine does that.",
    "I would need a tool to {a}, and I don't have one.",
)


def uncovered(scene: EverydayScene) -> list[RowMessage] | None:
    """A request to a family whose tools are not offered."""
    domains = {offer.family.domain for offer in scene.offered}
    others = [family for family in scene.others if family.domain not in domains]
    if not others:
        return None
    family = scene.dice.pick(others)
    request = pick_request(scene, OfferedFamily(family, scene.dice.pick(family.variants)), family.requests)
    if request is None:
        return None
    answer = scene.dice.pick(scene.words.of(_REFUSALS)).format(a=family.about)
    return [_user(scene, request.text), answer_message(answer)]


def chat(scene: EverydayScene) -> list[RowMessage] | None:
    """A message that needs no tool, about the topic of a tool or about anything."""
    question, answer = _small_talk(scene, scene.topic)
    return [_user(scene, question), answer_message(answer)]


def small_talk(scene: EverydayScene) -> list[RowMessage] | None:
    """A general question or remark, and a plain answer in one sentence.

    Without it, a small model refuses whatever no tool does: "I can't name fruits."
    """
    question, answer = scene.dice.pick(scene.words.of(SMALL_TALK))
    return [_user(scene, question), answer_message(answer)]


def thanks(scene: EverydayScene) -> list[RowMessage] | None:
    """A call, its result and an answer, then thanks."""
    opening = single(scene)
    if opening is None:
        return None
    text, answer = scene.dice.pick(scene.words.of(THANKS))
    return [*opening, user_message(text), answer_message(answer)]


EVERYDAY_EXCHANGES: Final[Mapping[str, EverydayExchange]] = {
    exchange.__name__: exchange
    for exchange in (
        single, parallel, parallel_two, mixed, follow_up, missing, near_miss, uncovered, chat, small_talk, failed,
        thanks,
    )
}  # fmt: skip
"""The kinds of exchanges, by name."""
EVERYDAY_SHARES: Final = (
    ("single", 36.0),
    ("parallel", 8.0),
    ("parallel_two", 10.0),
    ("mixed", 4.0),
    ("follow_up", 8.0),
    ("missing", 14.0),
    ("near_miss", 7.0),
    ("uncovered", 2.0),
    ("chat", 6.0),
    ("small_talk", 4.0),
    ("failed", 2.0),
    ("thanks", 1.0),
)
"""Kinds of exchanges with their shares."""
