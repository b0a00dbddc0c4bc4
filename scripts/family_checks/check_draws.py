"""Draw conversations of one family: to check their calls, and to show a few to the person who writes it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from workbench.toolspec.check import check_arguments
from workbench.training.everyday.drawing import (
    DrawnCall,
    EverydayScene,
    OfferedFamily,
    draw_lacking,
    draw_outcome,
    draw_request,
    droppable,
    is_complete,
)
from workbench.training.everyday.exchanges import EVERYDAY_EXCHANGES
from workbench.training.everyday.family import Family
from workbench.training.everyday.sentences import Sentence
from workbench.training.everyday.tools import EverydayTool
from workbench.training.synth.words import Dice, WordList, WordSplit
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage

_DRAWS: Final = 2
"""Draws of each request for each tool."""
_TALKS: Final = 6
"""Draws of each request without a required value, and of each follow-up."""
_TODAY: Final = date(2026, 3, 12)


def draw_problems(family: Family) -> Iterator[str]:
    """Draw each sentence for each tool that it fits, and return each problem of the calls and results once."""
    seen: set[str] = set()
    for sentence, problem in (*_of_requests(family), *_of_missing(family), *_of_follow_ups(family)):
        if problem not in seen:
            yield f"{sentence.text!r}: {problem}"
        seen.add(problem)


def complete_requests(family: Family) -> Iterator[tuple[OfferedFamily, EverydayTool, Sentence]]:
    """Return each request with each tool that it is complete for."""
    for offer, tool, sentence in _pairs(family, (*family.requests, *family.parallel)):
        if is_complete(tool, sentence):
            yield offer, tool, sentence


def _pairs(
    family: Family, sentences: Sequence[Sentence]
) -> Iterator[tuple[OfferedFamily, EverydayTool, Sentence]]:
    for variant in family.variants:
        for tool in variant:
            for sentence in sentences:
                yield OfferedFamily(family, variant), tool, sentence


def _of_requests(family: Family) -> Iterator[tuple[Sentence, str]]:
    for offer, tool, sentence in complete_requests(family):
        for draw in range(_DRAWS):
            scene = scene_of(offer, "check", sentence.text, tool.name, draw)
            for drawn in draw_request(scene, offer, sentence, tool).calls:
                yield from ((sentence, problem) for problem in _call_problems(scene, drawn))


def _of_missing(family: Family) -> Iterator[tuple[Sentence, str]]:
    """Check that the model asks for everything that a request leaves out, and the call with the values of the reply."""
    for offer, tool, sentence in _pairs(family, family.requests):
        for draw in range(_TALKS if droppable(tool, sentence) else 0):
            scene = scene_of(offer, "check missing", sentence.text, tool.name, draw)
            request, lacking = draw_lacking(scene, offer, sentence, tool)
            for slot in sorted({*lacking} - droppable(tool, sentence) - family.asks.keys()):
                yield sentence, f"asks: no question for {slot}, which is left out together with others"
            given = {slot: family.slots[slot].draw(scene.dice, scene.today) for slot in lacking}
            drawn = replace(request.calls[0], values={**request.calls[0].values, **given})
            yield from ((sentence, problem) for problem in _call_problems(scene, drawn))


def _of_follow_ups(family: Family) -> Iterator[tuple[Sentence, str]]:
    for variant in family.variants:
        specs = {tool.name: tool.spec for tool in variant}
        for sentence in family.follow_ups:
            offer = OfferedFamily(replace(family, follow_ups=(sentence,)), variant)
            for draw in range(_TALKS):
                messages = EVERYDAY_EXCHANGES["follow_up"](scene_of(offer, "check", sentence.text, draw))
                for call in (call for message in messages or () for call in message.calls):
                    for finding in check_arguments(specs[call.name], call.arguments):
                        yield sentence, f"tool {call.name}: {finding.message}"


def _call_problems(scene: EverydayScene, drawn: DrawnCall) -> Iterator[str]:
    for finding in check_arguments(drawn.tool.spec, drawn.call.arguments):
        yield f"tool {drawn.tool.name}: {finding.message}"
    if draw_outcome(scene, drawn) is None:
        yield (
            f"tool {drawn.tool.name}: no result fits a call with only {', '.join(drawn.values)}; a result and at least one "
            "of its answers may only use these slots and slots that no tool takes"
        )


def scene_of(offer: OfferedFamily, *seed: object) -> EverydayScene:
    """Return a scene that offers one family on a fixed day."""
    return EverydayScene(
        dice=Dice(*seed), words=WordList(WordSplit.TRAIN), offered=(offer,), others=(), today=_TODAY
    )


def sample_texts(
    families: Sequence[Family], name: str, *, kind: str | None = None, count: int = 3
) -> Iterator[str]:
    """Draw a few exchanges of each kind for a family, as texts for people."""
    family = next((family for family in families if family.name == name), None)
    if family is None:
        yield f"there is no family {name}"
        return
    for kind_name, exchange in EVERYDAY_EXCHANGES.items():
        if kind not in (None, kind_name) or kind_name == "uncovered":
            continue
        for place in range(count):
            offer = OfferedFamily(family, family.variants[place % len(family.variants)])
            messages = exchange(scene_of(offer, "sample", name, kind_name, place))
            if messages is not None:
                yield f"--- {kind_name}\n" + "\n".join(map(_shown, messages))


def _shown(message: RowMessage) -> str:
    texts: list[str] = []
    for part in message.parts:
        match part:
            case Prose() | Result():
                texts.append(part.text)
            case Call():
                texts.append(
                    f"{part.name}({', '.join(f'{key}={value!r}' for key, value in part.arguments.items())})"
                )
            case _:
                pass
    return f"{message.role.value}: " + "\n  ".join(texts)
