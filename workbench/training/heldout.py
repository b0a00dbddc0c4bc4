"""Held-out cases: conversations of the test split up to the model's first message, with the expected calls."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Conversation, Message, Role
from workbench.contract.contract import Contract
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.parse import parse
from workbench.hermes.render import render
from workbench.rollout.ports import Engine, FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import OfferedTools
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
"""The kinds of the held-out measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutCase:
    """A held-out case."""

    kind: str
    prompt: str
    """The prompt, byte for byte."""
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


def draw_cases(kind: CaseKind, contract: Contract, *, seed: int, count: int) -> Iterator[HeldOutCase]:
    """Draw `count` cases. The same arguments give the same cases."""
    options = SynthOptions(
        split=WordSplit.TEST,
        contracts=(ContractShare(contract, 1.0),),
        kinds=kind.exchanges,
        lengths=((1, 1.0),),
        no_tools=0.0,
    )
    drawn_count = 0
    for drawn in draw_rows(seed * len(KINDS) + KINDS.index(kind), 4 * count, options):
        case = _case(kind, drawn)
        if case is not None:
            drawn_count += 1
            yield case
        if drawn_count == count:
            return


def run_case(case: HeldOutCase, engine: Engine) -> HeldOutResult:
    """Run a case with temperature 0 and without constraint, and check the completion."""
    request = GenerationRequest(
        prompt=case.prompt, sampling=Sampling(temperature=0.0, max_tokens=_MOST_TOKENS), stop=(TURN_CLOSE,)
    )
    text, reason = "", FinishReason.STOP
    for delta in engine.generate(request, is_cancelled=lambda: False):
        text += delta.text
        reason = delta.finish_reason or reason
    return HeldOutResult(case, text, reason is FinishReason.STOP and _is_right(case, text))


def _is_right(case: HeldOutCase, text: str) -> bool:
    calls = [(call.name, dict(call.arguments)) for call in parse(text, tools=case.tools).calls]
    if case.kind == "missing":
        return not calls and ("?" in text or "please" in text.lower())
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
        tools=drawn.trajectory.tools,
        calls=tuple((call.name, dict(call.arguments)) for call in calls),
        request=before.messages[-1].text,
    )


def _message(message: RowMessage) -> Message:
    return Message(role=message.role, text=message.text or message.prose[0].text)
