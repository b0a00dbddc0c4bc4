"""Check families for people who write them: what is missing, unknown, repeated, or cannot be drawn."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from workbench.toolspec.check import spec_errors
from workbench.toolspec.spec import OfferedTools
from workbench.training.everyday.drawing import droppable, fits, is_complete, result_mentions
from workbench.training.everyday.family import Family
from workbench.training.everyday.family_files import load_families
from workbench.training.everyday.sentences import Mention, Sentence, SentenceProblem
from workbench.training.everyday.spoken import DEFAULT
from workbench.training.everyday.tools import EverydayParam, EverydayTool
from workbench.training.heldout import Reaction, reaction_of

from .check_draws import draw_problems

LEAST_REQUESTS: Final = 12
LEAST_OF_VARIANT: Final = 4
"""Minimum number of requests that are complete for each variant."""
_VARIANTS: Final = range(2, 5)
_LEAST: Final = (("parallel", 2), ("follow_ups", 2), ("near_misses", 4), ("chats", 3))
_LEAST_ANSWERS: Final = 3
_LEAST_MISSING: Final = 3
_LEAST_QUESTIONS: Final = 2
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_TOOL_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{2,63}")
_STEM: Final = 4
"""Letters that a value and its words must share at least."""


def check_families(families: Sequence[Family]) -> list[str]:
    """Return the problems of families as texts for people, file by file."""
    problems = [
        f"{family.file}: {family.name}: {problem}" for family in families for problem in _check(family)
    ]
    return [*problems, *_repeated(families), *_unknown_domains(families)]


def _check(family: Family) -> Iterator[str]:
    unknown = [*_unknown_slots(family)]
    yield from unknown
    yield from _form(family)
    if unknown:
        # Nothing can be drawn with unknown slots.
        return
    yield from _underivable(family)
    yield from _coverage(family)
    yield from draw_problems(family)


def _unknown_domains(families: Sequence[Family]) -> Iterator[str]:
    if not any(family.apart for family in families):
        # Loading the shipped families takes seconds.
        return
    known = {(family.split, family.domain) for family in (*families, *load_families())}
    for family in families:
        for domain in sorted(family.apart):
            if (family.split, domain) not in known:
                yield f"{family.file}: {family.name}: apart: no family of its split has the domain {domain!r}"
            elif domain == family.domain:
                yield f"{family.file}: {family.name}: apart: {domain!r} is its own domain"


def _form(family: Family) -> Iterator[str]:
    if not _NAME.fullmatch(family.name):
        yield "the name of a family has small letters, digits and underscores"
    if family.about[:1].isupper() or family.about.endswith("."):
        yield f"about: {family.about!r} must follow “I can’t”, as in `book a table`: small, no full stop"
    if len(family.variants) not in _VARIANTS:
        yield f"it has {len(family.variants)} variants under `tools`; write 2 to 4"
    for name, least in _LEAST:
        count = len(getattr(family, name))
        if count < least:
            yield f"it has {count} under `{name}`; write at least {least}"
    answers = [answer for result in family.results if not result.is_error for answer in result.answers]
    if len(answers) < _LEAST_ANSWERS:
        yield f"its results have {len(answers)} answers under `say`; write at least {_LEAST_ANSWERS}"
    if not any(result.is_error for result in family.results):
        yield "no result is an `error`; write at least one"
    for slot, questions in family.asks.items():
        if len(questions) < _LEAST_QUESTIONS:
            yield f"asks.{slot}: write at least {_LEAST_QUESTIONS} questions"
        yield from (
            f"asks.{slot}: {text.text!r} has no question mark" for text in questions if "?" not in text.text
        )
    names = Counter(tool.name for variant in family.variants for tool in variant)
    yield from (f"two tools have the name {name}" for name, count in names.items() if count > 1)
    for variant in family.variants:
        for tool in variant:
            if not _TOOL_NAME.fullmatch(tool.name):
                yield f"tool {tool.name}: a name has letters, digits, _ and -"
            yield from (f"tool {tool.name}: {finding.message}" for finding in spec_errors(tool.spec))


def _underivable(family: Family) -> Iterator[str]:
    """Report texts that a model cannot know from the request or the tool: `trash` if people only say "rubbish"."""
    for tool in (tool for variant in family.variants for tool in variant):
        for param in _leaves(tool.params):
            slot = family.slots.get(param.slot)
            if slot is None or "enum" in param.schema or param.form not in slot.schemas:
                continue
            described = f"{tool.spec.description} {param.schema.get('description', '')}"
            for spoken, ways in zip(slot.pool, slot.ways, strict=True):
                value = spoken.forms[param.form]
                if (
                    isinstance(value, str)
                    and value
                    and value not in described
                    and not _shares_word(value, ways)
                ):
                    yield (
                        f"tool {tool.name}: parameter {param.name}: nobody can know the value {value!r} for {ways[0]!r}; "
                        "write `enum: all`, describe the values under `about`, or add a way to say it"
                    )
                    break


def _leaves(params: Sequence[EverydayParam]) -> Iterator[EverydayParam]:
    for param in params:
        yield from _leaves(param.members) if param.members else (param,)


def _shares_word(value: str, ways: Sequence[str]) -> bool:
    """Return whether a word of the value begins like a word of one of the ways."""
    starts = {word[:_STEM] for word in re.findall(r"[^\W_]+", value.lower())}
    spoken_words = {word for way in ways for word in re.findall(r"\w+", way.lower())}
    return not starts or any(word.startswith(start) for word in spoken_words for start in starts)


def _unknown_slots(family: Family) -> Iterator[str]:
    for place, sentence in _sentences(family):
        yield from (
            f"{place}: {problem}" for problem in _unknown_in(family, sentence.text, sentence.mentions)
        )
        for slot, value in ((slot, value) for (slot, _), value in sentence.pinned.items()):
            if slot not in family.slots:
                yield f"{place}: {sentence.text!r}: `with` names the unknown slot {slot!r}"
            elif family.slots[slot].pinned(value) is None:
                yield f"{place}: {sentence.text!r}: slot {slot} has no value {value!r}"
    for place in ("asks", "gives"):
        for slot in getattr(family, place):
            if slot not in family.slots:
                yield f"{place}: unknown slot {slot!r}"
    for slot, questions in family.asks.items():
        yield from (
            f"asks.{slot}: {text.text!r}: a question has no slots" for text in questions if text.slots
        )
    for slot, replies in family.gives.items():
        yield from (
            f"gives.{slot}: {text.text!r}: a reply has the slot {{{slot}}} and no other"
            for text in replies
            if text.slots != frozenset({slot})
        )
    for result in family.results:
        try:
            mentions = result_mentions(result.result)
        except SentenceProblem as problem:
            yield f"results: {problem}"
            continue
        for mention in mentions:
            forms = list(family.slots[mention.slot].schemas) if mention.slot in family.slots else []
            if mention.slot not in family.slots:
                yield f"results: unknown slot {mention.slot!r}"
            elif (mention.style or DEFAULT) not in forms or family.slots[mention.slot].entry_slots:
                yield f"results: slot {mention.slot} has no form {mention.style or DEFAULT!r}; it has: {', '.join(forms)}"
        yield from (
            f"results: `when` names the unknown slot {slot!r}"
            for slot in result.when
            if slot not in family.slots
        )


def _unknown_in(family: Family, text: str, mentions: Iterable[Mention]) -> Iterator[str]:
    for mention in mentions:
        slot = family.slots.get(mention.slot)
        if slot is None:
            yield f"{text!r}: unknown slot {mention.slot!r}; known slots: {', '.join(family.slots)}"
        elif mention.style and mention.style not in slot.styles | slot.schemas.keys():
            known = ", ".join(sorted(slot.styles | slot.schemas.keys()))
            yield f"{text!r}: slot {mention.slot} has no style or form {mention.style!r}; it has: {known}"


def _sentences(family: Family) -> Iterator[tuple[str, Sentence]]:
    """Return all sentences of a family with the place where they are written."""
    for place in ("requests", "parallel", "follow_ups"):
        yield from ((place, sentence) for sentence in getattr(family, place))
    for place in ("asks", "gives"):
        for slot, sentences in getattr(family, place).items():
            yield from ((f"{place}.{slot}", sentence) for sentence in sentences)
    for result in family.results:
        yield from (("results", sentence) for sentence in result.answers)
    for place in ("near_misses", "chats"):
        for talk in getattr(family, place):
            yield from ((place, sentence) for sentence in (talk.say, talk.answer))


def _coverage(family: Family) -> Iterator[str]:
    tools = [tool for variant in family.variants for tool in variant]
    for sentence in family.requests:
        if any(mention.number > 1 for mention in sentence.mentions):
            yield f"requests: {sentence.text!r} asks for two calls; move it to `parallel`"
        elif not any(is_complete(tool, sentence) or droppable(tool, sentence) for tool in tools):
            yield f"requests: {sentence.text!r} fits no tool. {_reason(tools, sentence)}"
    complete = [
        sentence for sentence in family.requests if any(is_complete(tool, sentence) for tool in tools)
    ]
    if len(complete) < LEAST_REQUESTS:
        yield f"it has {len(complete)} requests that can be fulfilled; write at least {LEAST_REQUESTS}"
    for sentence in family.parallel:
        if not any(number > 1 for number in _numbers(sentence)):
            yield f"parallel: {sentence.text!r} needs a slot of a second call, such as {{slot.2}}"
        elif not any(is_complete(tool, sentence) for tool in tools):
            yield f"parallel: {sentence.text!r} is complete for no tool. {_reason(tools, sentence)}"
    for number, variant in enumerate(family.variants, 1):
        count = sum(any(is_complete(tool, sentence) for tool in variant) for sentence in family.requests)
        if count < LEAST_OF_VARIANT:
            names = ", ".join(tool.name for tool in variant)
            yield (
                f"variant {number} ({names}): only {count} requests have all values that it requires and no "
                f"others; write at least {LEAST_OF_VARIANT}, or make parameters optional"
            )
        for tool in variant:
            if not any(is_complete(tool, sentence) for sentence in family.requests):
                yield f"tool {tool.name}: no request is complete for it"
    used = frozenset(slot for sentence in family.requests for slot in sentence.slots)
    for slot in sorted(family.taken - used):
        yield f"slot {slot}: a tool takes it, but no request has it"
    lacking = [sentence for sentence in family.requests if any(droppable(tool, sentence) for tool in tools)]
    needed = frozenset(slot for tool in tools for sentence in lacking for slot in droppable(tool, sentence))
    for slot in sorted(needed - family.asks.keys()):
        yield f"asks: no question for {slot}, which a request may leave out"
    is_possible = any(tool.lacking(frozenset()) - tool.when.keys() for tool in tools)
    if is_possible and len(lacking) < _LEAST_MISSING:
        yield (
            f"only {len(lacking)} requests may leave out a required value, so that the model asks for it; write "
            f"at least {_LEAST_MISSING}, with the value in brackets or without it"
        )
    for sentence in family.follow_ups:
        if not sentence.slots:
            yield f"follow_ups: {sentence.text!r} changes no value"
        elif any(number > 1 for number in _numbers(sentence)):
            yield f"follow_ups: {sentence.text!r} asks for two calls; a follow-up changes the values of one"
        elif not any(sentence.needed <= tool.slots - tool.when.keys() for tool in tools):
            yield f"follow_ups: {sentence.text!r}: no tool takes all its slots"
    for talk in family.near_misses:
        if reaction_of(talk.answer.text, OfferedTools()) is not Reaction.REFUSES:
            yield f"near_misses: {talk.answer.text!r} does not refuse; say “I can’t”, “I have no …” or “I only …”"
    for place in ("near_misses", "chats"):
        for talk in getattr(family, place):
            if extra := talk.answer.needed - talk.say.slots:
                yield f"{place}: {talk.answer.text!r} mentions {sorted(extra)[0]}, which {talk.say.text!r} does not"


def _numbers(sentence: Sentence) -> list[int]:
    return [*(mention.number for mention in sentence.mentions), *(number for _, number in sentence.pinned)]


def _reason(tools: Sequence[EverydayTool], sentence: Sentence) -> str:
    for tool in tools:
        if fits(tool, sentence):
            return (
                f"{tool.name} also requires {', '.join(sorted(tool.lacking(sentence.reachable(tool.slots))))}"
            )
    tool = tools[0]
    if extra := sentence.needed - tool.slots:
        return f"{tool.name} does not take {', '.join(sorted(extra))}; put it in brackets, or add a parameter"
    return f"{tool.name} is only for {dict(tool.when)}; say or imply these values"


_COMMON: Final = frozenset({"follow_ups"})
"""Places whose sentences may occur in several families."""


def _repeated(families: Sequence[Family]) -> Iterator[str]:
    """Return what occurs twice: names of families and tools, and sentences."""
    names: dict[str, str] = {}
    tools: dict[str, str] = {}
    sentences: dict[str, str] = {}
    for family in families:
        where = f"{family.file}: {family.name}"
        if family.name in names:
            yield f"{where}: {names[family.name]} has a family with this name, too"
        names[family.name] = family.file
        for tool in (tool for variant in family.variants for tool in variant):
            if tools.get(tool.name, where) != where:
                yield f"{where}: the tool name {tool.name} is also used by {tools[tool.name]}"
            tools[tool.name] = where
        own: set[str] = set()
        for place, sentence in _requested(family):
            key = _key(sentence.text)
            if key in own:
                yield f"{where}: {place}: {sentence.text!r} occurs twice"
            elif key in sentences and place not in _COMMON:
                yield f"{where}: {place}: {sentence.text!r} also occurs in {sentences[key]}"
            own.add(key)
            if place not in _COMMON:
                sentences.setdefault(key, where)


def _requested(family: Family) -> Iterator[tuple[str, Sentence]]:
    for place in ("requests", "parallel", "follow_ups"):
        yield from ((place, sentence) for sentence in getattr(family, place))
    for place in ("near_misses", "chats"):
        yield from ((place, talk.say) for talk in getattr(family, place))


def _key(text: str) -> str:
    return " ".join(re.findall(r"[\w{}]+", text.lower()))
