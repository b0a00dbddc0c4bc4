"""Held-out cases: conversations of the test split up to the model's first message, with the expected calls."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Conversation, Message, Role
from workbench.contract.contract import Contract
from workbench.hermes.marks import CALL_OPEN, TURN_CLOSE
from workbench.hermes.parse import parse
from workbench.hermes.render import render
from workbench.rollout.constraint import TurnSetup, constrain
from workbench.rollout.ports import Engine, FinishReason, GenerationRequest, ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import OfferedTools
from workbench.training.everyday.family import FamilySplit
from workbench.training.everyday.rows import EverydayOptions
from workbench.training.synth.conversations import ContractShare, SynthConversation, SynthOptions, draw_rows
from workbench.training.synth.words import WordSplit
from workbench.trajectory.trajectory import RowMessage

_MOST_TOKENS: Final = 256


class CaseKind(NamedTuple):
    """A kind of held-out case."""

    name: str
    exchanges: tuple[tuple[str, float], ...]
    """Kinds of exchanges that cases are drawn from, with their shares."""
    least_calls: int
    most_calls: int
    cases: int
    """Number of cases in the full measurement."""
    target: str
    """The target, as a text for people."""


KINDS: Final = (
    CaseKind("single", (("single", 1.0),), 1, 1, 200, "at least 95 % exactly right"),
    CaseKind(
        "parallel", (("parallel_same", 1.0), ("parallel_two", 1.0)), 2, 9, 50, "at least 85 % exactly right"
    ),
    CaseKind(
        "no call",
        (("chat", 2.0), ("about_tools", 1.0), ("uncovered", 1.0)),
        0,
        0,
        100,
        "at least 97 % without a call",
    ),
    CaseKind("missing", (("missing", 1.0),), 0, 0, 50, "at least 80 % ask"),
)
"""The kinds of the formal held-out measurement: invented tools, and requests from templates."""
EVERYDAY_KINDS: Final = (
    CaseKind("single", (("single", 1.0),), 1, 1, 200, "at least 70 % exactly right"),
    CaseKind("parallel", (("parallel", 1.0), ("parallel_two", 1.0)), 2, 9, 60, "at least 55 % exactly right"),
    CaseKind(
        "no call",
        (("near_miss", 2.0), ("chat", 2.0), ("uncovered", 1.0)),
        0,
        0,
        100,
        "at least 95 % without a call",
    ),
    CaseKind("missing", (("missing", 1.0),), 0, 0, 60, "at least 60 % ask"),
)
"""The kinds of the everyday held-out measurement: tools of everyday life, and requests that people wrote."""


class Reaction(StrEnum):
    """What a completion does."""

    CALLS = "calls"
    ASKS = "asks"
    REFUSES = "refuses"
    """It says that it cannot do it."""
    ANSWERS = "answers"
    """It says anything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutCase:
    """A held-out case."""

    kind: str
    prompt: str
    """The prompt, byte for byte."""
    family: str
    """Template family of the prompt."""
    tools: OfferedTools
    calls: tuple[tuple[str, JsonValue], ...] = field(hash=False)
    """Name and arguments of each expected call. Empty if no call is right."""
    request: str
    """The last message of the user."""


class HeldOutResult(NamedTuple):
    """A model's completion of a case."""

    case: HeldOutCase
    completion: str
    is_right: bool
    reaction: Reaction


def draw_cases(kind: CaseKind, contract: Contract, *, seed: int, count: int) -> Iterator[HeldOutCase]:
    """Draw `count` cases. The same arguments give the same cases."""
    options = SynthOptions(
        split=WordSplit.TEST,
        contracts=(ContractShare(contract, 1.0),),
        kinds=kind.exchanges,
        lengths=((1, 1.0),),
        no_tools=0.0,
    )
    rows = draw_rows(seed * len(KINDS) + KINDS.index(kind), 4 * count, options)
    return _cases(kind, rows, count)


def draw_everyday_cases(
    kind: CaseKind, contract: Contract, *, seed: int, count: int, split: FamilySplit = FamilySplit.TEST
) -> Iterator[HeldOutCase]:
    """Draw `count` cases about everyday tools of a split. The same arguments give the same cases."""
    options = EverydayOptions(
        split=split, contracts=(ContractShare(contract, 1.0),), kinds=kind.exchanges, lengths=((1, 1.0),)
    )
    rows = draw_rows(seed * len(EVERYDAY_KINDS) + EVERYDAY_KINDS.index(kind), 4 * count, options)
    return _cases(kind, rows, count)


def _cases(kind: CaseKind, rows: Iterator[SynthConversation], count: int) -> Iterator[HeldOutCase]:
    drawn_count = 0
    for drawn in rows:
        case = _case(kind, drawn)
        if case is not None:
            drawn_count += 1
            yield case
        if drawn_count == count:
            return


def run_case(
    case: HeldOutCase, engine: Engine, *, is_constrained: bool = False, call_threshold: float = 0.0
) -> HeldOutResult:
    """Run a case with temperature 0 and the tool choice `auto`, and check the completion.

    Args:
        is_constrained: True to constrain calls with a grammar.
        call_threshold: The sampling field. 0 uses the threshold of the model.
    """
    setup = TurnSetup(tools=case.tools, family=case.family)
    decoding = constrain(setup, ToolChoice(), starts_in_thought=False, has_grammar=is_constrained)
    request = GenerationRequest(
        prompt=case.prompt,
        sampling=Sampling(temperature=0.0, max_tokens=_MOST_TOKENS, call_threshold=call_threshold),
        stop=(TURN_CLOSE,),
        constraint=decoding.constraint,
        call_mark=CALL_OPEN if case.tools.specs else "",
    )
    text, reason = "", FinishReason.STOP
    for delta in engine.generate(request, is_cancelled=lambda: False):
        text += delta.text
        reason = delta.finish_reason or reason
    return result_of(case, text, is_finished=reason is FinishReason.STOP)


def result_of(case: HeldOutCase, completion: str, *, is_finished: bool) -> HeldOutResult:
    """Check a completion. One that did not end is wrong."""
    is_right = is_finished and _is_right(case, completion)
    return HeldOutResult(case, completion, is_right, reaction_of(completion, case.tools))


_REFUSAL: Final = re.compile(
    r"\b(?:can(?:'t|not| not)|couldn't|unable|not able|i (?:can |could )?only|(?:have|has|there's|there is|with) no"
    r"|no (?:tool|way|access)|none of my|don't (?:have|know|do)|do not have|(?:not|isn't) something|nothing that my)\b",
    re.IGNORECASE,
)


def reaction_of(text: str, tools: OfferedTools) -> Reaction:
    """Return what a completion does. A text that refuses and asks refuses.

    >>> reaction_of("For which city?", OfferedTools())
    <Reaction.ASKS: 'asks'>
    >>> reaction_of("I can't set reminders. Anything else?", OfferedTools())
    <Reaction.REFUSES: 'refuses'>
    """
    if parse(text, tools=tools).calls:
        return Reaction.CALLS
    if _REFUSAL.search(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")):
        return Reaction.REFUSES
    return Reaction.ASKS if _asks(text) else Reaction.ANSWERS


def _asks(text: str) -> bool:
    return "?" in text or "please" in text.lower()


def _is_right(case: HeldOutCase, text: str) -> bool:
    calls = [(call.name, dict(call.arguments)) for call in parse(text, tools=case.tools).calls]
    if case.kind == "missing":
        return not calls and _asks(text)
    expected = [(name, arguments) for name, arguments in case.calls]
    return (
        len(calls) == len(expected)
        and all(call in expected for call in calls)
        and all(call in calls for call in expected)
    )


def _case(kind: CaseKind, drawn: SynthConversation) -> HeldOutCase | None:
    """Turn a conversation into a case. None if it turned out to be of another kind."""
    messages = drawn.trajectory.messages
    place = next(place for place, message in enumerate(messages) if message.role is Role.ASSISTANT)
    calls = messages[place].calls
    is_asking = kind.name != "missing" or bool(any(spec.required for spec in drawn.trajectory.tools.specs))
    if not kind.least_calls <= len(calls) <= kind.most_calls or not is_asking:
        return None
    before = Conversation(messages=tuple(_message(message) for message in messages[:place]))
    return HeldOutCase(
        kind=kind.name,
        prompt=render(before, family=drawn.family, has_contract=True).text,
        family=drawn.family,
        tools=drawn.trajectory.tools,
        calls=tuple((call.name, dict(call.arguments)) for call in calls),
        request=before.messages[-1].text,
    )


def _message(message: RowMessage) -> Message:
    return Message(role=message.role, text=message.text or message.prose[0].text)
