"""Compare what other parsers would extract from the same text, and say why calls are lost."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.hermes.replicas.attempt import ReplicaCall, ReplicaReading
from workbench.hermes.replicas.projects import read_as_hermes_fc, read_as_l3m_backend, read_as_stella_guide
from workbench.hermes.replicas.servers import read_as_sglang, read_as_vllm
from workbench.toolspec.spec import OfferedTools, canonical_json

MAX_SIZE_CHARS: Final = 1_000_000
"""A longer text is not given to the replicas."""


class ParserRule(StrEnum):
    """Who reads. All but strict are replicas of rules, written from descriptions."""

    STRICT = "strict"
    VLLM = "vLLM hermes"
    SGLANG = "SGLang hermes"
    L3M_BACKEND = "l3m-backend"
    HERMES_FC = "Hermes-FC"
    STELLA_GUIDE = "Stella guide"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """What one rule took from a text."""

    rule: ParserRule
    calls: tuple[ReplicaCall, ...]
    """What it would run, in its order."""
    lost: tuple[ReplicaCall, ...]
    """Calls that the tolerant reader gives and this rule does not, or with other arguments."""
    invented: tuple[ReplicaCall, ...]
    """Calls that this rule gives and the tolerant reader does not, or with other arguments."""
    why: str
    """What it loses or mistakes and why, clauses parted by semicolons; empty where nothing is to tell."""


_REPLICAS: Final[Mapping[ParserRule, Callable[[str, OfferedTools | None], ReplicaReading]]] = (
    MappingProxyType(
        {
            ParserRule.VLLM: read_as_vllm,
            ParserRule.SGLANG: read_as_sglang,
            ParserRule.L3M_BACKEND: read_as_l3m_backend,
            ParserRule.HERMES_FC: read_as_hermes_fc,
            ParserRule.STELLA_GUIDE: read_as_stella_guide,
        }
    )
)


def differ(text: str, tools: OfferedTools | None) -> tuple[RuleResult, ...]:
    """One answer a rule, in the order of `ParserRule`; never raises.

    Args:
        text: A completion that came to its end.
        tools: The offered tools; None where names are not to be checked.
    """
    tolerant = parse(text, tools=tools)
    ours = tuple(ReplicaCall(name=call.name, arguments=call.arguments) for call in tolerant.calls)
    strict = _strict(parse(text, tools=tools, level="strict"))
    taken = [_held_against(ParserRule.STRICT, strict, ours, tolerant)]
    for rule, read in _REPLICAS.items():
        if len(text) > MAX_SIZE_CHARS:
            attempt = ReplicaReading(
                notes=(f"over {MAX_SIZE_CHARS:,} characters: too long for this replica",)
            )
        else:
            attempt = read(text, tools)
        taken.append(_held_against(rule, attempt, ours, tolerant))
    return tuple(taken)


def _strict(reading: Reading) -> ReplicaReading:
    calls = tuple(ReplicaCall(name=call.name, arguments=call.arguments) for call in reading.calls)
    codes = ", ".join(dict.fromkeys(finding.code for finding in reading.findings))
    notes = (f"a block that needs a fix is refused: {codes}",) if reading.dropped else ()
    return ReplicaReading(calls=calls, notes=notes)


def _held_against(
    rule: ParserRule, attempt: ReplicaReading, ours: Sequence[ReplicaCall], tolerant: Reading
) -> RuleResult:
    lost, invented = _without(ours, attempt.calls), _without(attempt.calls, ours)
    notes = [*attempt.notes, *_general_notes(lost, invented, tolerant)]
    if invented and not notes:
        notes.append("what the reader takes for text, or for a part of another call, is run")
    if lost and not notes:
        codes = dict.fromkeys(fix.code for fix in tolerant.fixes)
        notes.append(f"nothing of this is known to it: {', '.join(codes)}")
    return RuleResult(rule=rule, calls=attempt.calls, lost=lost, invented=invented, why="; ".join(notes))


def _general_notes(
    lost: Sequence[ReplicaCall], invented: Sequence[ReplicaCall], tolerant: Reading
) -> Iterator[str]:
    """What can be told of any rule from the two lists."""
    codes = dict.fromkeys(finding.code for finding in tolerant.findings)
    if invented and "call-in-reasoning" in codes:
        yield "a call inside a thought is run"
    elif invented and tolerant.dropped:
        yield f"what the reader refuses is run: {', '.join(codes)}"
    for name in sorted({call.name for call in lost} & {call.name for call in invented}):
        yield f"arguments of {name!r} are other ones"


def _without(calls: Sequence[ReplicaCall], others: Sequence[ReplicaCall]) -> tuple[ReplicaCall, ...]:
    """`calls` without those that `others` have too, each of them counted once."""
    left = Counter(map(_key, others))
    missing: list[ReplicaCall] = []
    for call in calls:
        key = _key(call)
        if left[key]:
            left[key] -= 1
        else:
            missing.append(call)
    return tuple(missing)


def _key(call: ReplicaCall) -> tuple[str, str]:
    return call.name, _spelled(call.arguments)


def _spelled(value: JsonValue) -> str:
    try:
        return canonical_json(value)
    except RecursionError:
        return f"too deep: {id(value)}"
