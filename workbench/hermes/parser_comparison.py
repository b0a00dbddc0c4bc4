"""Compare the calls that other parsers would extract from the same text, and explain why calls are lost."""

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
from workbench.hermes.server_releases import SGLANG, VLLM
from workbench.toolspec.spec import OfferedTools, canonical_json

MAX_SIZE_CHARS: Final = 1_000_000
"""The replicas do not parse longer texts."""


class ParserRule(StrEnum):
    """A parser. All except strict are replicas of other projects' parsers, without code of theirs."""

    STRICT = "strict"
    VLLM = "vLLM hermes"
    SGLANG = "SGLang hermes"
    L3M_BACKEND = "l3m-backend"
    HERMES_FC = "Hermes-FC"
    STELLA_GUIDE = "Stella guide"

    @property
    def version(self) -> str:
        """The release that the replica agrees with; empty if the parser has no releases."""
        return {ParserRule.VLLM: VLLM, ParserRule.SGLANG: SGLANG}.get(self, "")

    @property
    def origin(self) -> str:
        """What the parser is, if it is not ours.

        >>> ParserRule.HERMES_FC.origin, ParserRule.STRICT.origin
        ('replica', '')
        """
        if self is ParserRule.STRICT:
            return ""
        return f"replica of {self.version}" if self.version else "replica"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """The calls that one parser finds in a text, compared with those of the tolerant reader."""

    rule: ParserRule
    calls: tuple[ReplicaCall, ...]
    """The calls that it would run, in its order."""
    lost: tuple[ReplicaCall, ...]
    """Calls that the tolerant reader finds and this parser does not find, or finds with other arguments."""
    invented: tuple[ReplicaCall, ...]
    """Calls that this parser finds and the tolerant reader does not find, or finds with other arguments."""
    why: str
    """What it loses or invents and why, clauses separated by semicolons. Empty if there is nothing to explain."""


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
    """Parse a text with every parser. Return one result per parser, in the order of `ParserRule`. Never raises.

    Args:
        text: A completion that the model ended itself.
        tools: The offered tools, or None to accept any name.
    """
    tolerant = parse(text, tools=tools)
    ours = tuple(ReplicaCall(name=call.name, arguments=call.arguments) for call in tolerant.calls)
    strict = _strict(parse(text, tools=tools, level="strict"))
    results = [_compare_to_ours(ParserRule.STRICT, strict, ours, tolerant)]
    for rule, read in _REPLICAS.items():
        if len(text) > MAX_SIZE_CHARS:
            attempt = ReplicaReading(
                notes=(f"the text has over {MAX_SIZE_CHARS:,} characters, too many for this replica",)
            )
        else:
            attempt = read(text, tools)
        results.append(_compare_to_ours(rule, attempt, ours, tolerant))
    return tuple(results)


def _strict(reading: Reading) -> ReplicaReading:
    calls = tuple(ReplicaCall(name=call.name, arguments=call.arguments) for call in reading.calls)
    codes = ", ".join(dict.fromkeys(finding.code for finding in reading.findings))
    notes = (f"a block that needs a fix is rejected: {codes}",) if reading.dropped else ()
    return ReplicaReading(calls=calls, notes=notes)


def _compare_to_ours(
    rule: ParserRule, attempt: ReplicaReading, ours: Sequence[ReplicaCall], tolerant: Reading
) -> RuleResult:
    lost, invented = _without(ours, attempt.calls), _without(attempt.calls, ours)
    notes = [*attempt.notes, *_general_notes(lost, invented, tolerant)]
    if invented and not notes:
        notes.append("text, or part of another call, is run as a call")
    if lost and not notes:
        codes = dict.fromkeys(fix.code for fix in tolerant.fixes)
        notes.append(f"it has no repair for {', '.join(codes)}")
    return RuleResult(rule=rule, calls=attempt.calls, lost=lost, invented=invented, why="; ".join(notes))


def _general_notes(
    lost: Sequence[ReplicaCall], invented: Sequence[ReplicaCall], tolerant: Reading
) -> Iterator[str]:
    """Explain differences that do not depend on the parser's rules."""
    codes = dict.fromkeys(finding.code for finding in tolerant.findings)
    if invented and "call-in-reasoning" in codes:
        yield "a call inside a thought is run"
    elif invented and tolerant.dropped:
        yield f"a call that the reader rejects is run: {', '.join(codes)}"
    for name in sorted({call.name for call in lost} & {call.name for call in invented}):
        yield f"the arguments of {name!r} differ"


def _without(calls: Sequence[ReplicaCall], others: Sequence[ReplicaCall]) -> tuple[ReplicaCall, ...]:
    """Return the calls that `others` does not contain. Equal calls are counted, not merged."""
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
    return call.name, _comparable(call.arguments)


def _comparable(value: JsonValue) -> str:
    try:
        return canonical_json(value)
    except RecursionError:
        return f"too deep: {id(value)}"
