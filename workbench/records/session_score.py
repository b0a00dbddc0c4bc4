"""Score stored conversations without a suite: much of what goes wrong is seen in a conversation itself.

Nobody has written down what the model should have called. So only what is wrong under any expectation is counted:
calls that cannot be run, calls that were made before, results that were of no use, and failures that stayed.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from enum import StrEnum
from statistics import fmean
from typing import Final, NamedTuple, cast

from workbench.chat.figures import NONE, known_sum
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.hermes.reading import CallStatus, ReadCall
from workbench.hermes.written_out import read_message
from workbench.records.facts import MessageFact
from workbench.records.sessions import StoredMessage
from workbench.rollout.completion_checks import call_key
from workbench.suite.reports.tables import Table
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.formats.sharegpt import has_failed


class ProblemKind(StrEnum):
    """What went wrong."""

    UNKNOWN_TOOL = "unknown-tool"
    """A call of a tool that was not offered."""
    INVALID_ARGUMENTS = "invalid-arguments"
    """A call whose arguments do not fit the schema of its tool."""
    REPEATED_CALL = "repeated-call"
    """A call that was made with the same arguments earlier in the turn."""
    IGNORED_RESULT = "ignored-result"
    """A result right before the answer, of which the answer has no number and no longer word."""
    NOT_RECOVERED = "not-recovered"
    """A call that failed, in a turn that was answered although no later call of the tool succeeded."""


class TurnProblem(NamedTuple):
    """Something that went wrong at a completion."""

    kind: ProblemKind
    tool: str
    """Name of the tool that was called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCompletion:
    """A completion of a recorded session."""

    session_id: str
    message_id: str
    turn_id: str
    """Id of the user message above it. Empty if there is none."""
    model: str
    day: str
    """When it was stored: UTC, ISO 8601."""
    calls: int
    problems: tuple[TurnProblem, ...]
    tokens: int | None
    """Prompt and completion. None if the server did not count them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScore:
    """The score of a group of turns."""

    group: str
    """A model, a day, or a name for all."""
    turns: int
    completions: int
    calls: int
    problems: Mapping[ProblemKind, int] = field(hash=False)
    """How often each kind occurred, with 0 for those that did not."""
    tokens_per_turn: float | None
    """Mean over the turns of which all completions were counted. None if there are no such turns."""


def score_path(
    path: Sequence[StoredMessage],
    session_id: str,
    tools: OfferedTools | None,
    facts: Mapping[str, Sequence[MessageFact]],
) -> Iterator[ScoredCompletion]:
    """Score each completion of a path. One that is a copy has the id of its original.

    Args:
        path: The messages of a branch, from the root.
        tools: The tools of the session's last request. None if they cannot be read.
        facts: What was found when each message was recorded, with the tools of its own request.
    """
    turn = _Turn("")
    for stored in path:
        message, original = stored.message, stored.copy_of or stored.id
        if message.role is Role.USER:
            turn = _Turn(original)
        elif message.role is Role.TOOL:
            failed = stored.tool_run.is_error if stored.tool_run else has_failed(message.text)
            turn.results.append(_Result(message.name or "", message.text, failed))
            turn.last_results.append(turn.results[-1])
        elif message.role is Role.ASSISTANT:
            generation = stored.generation
            has_same_tools = bool(generation and tools and generation.tools_fingerprint == tools.fingerprint)
            # Without the thought, places are those of the facts.
            said = replace(message, thought=None)
            reading = read_message(said, tools=tools if has_same_tools else None)
            problems = [*_call_problems(reading.calls, () if has_same_tools else facts.get(original, ()))]
            problems += turn.add(reading.calls, "\n".join(reading.prose))
            if generation is not None:
                timing = generation.timing
                yield ScoredCompletion(
                    session_id=session_id,
                    message_id=original,
                    turn_id=turn.user_id,
                    model=generation.engine_name,
                    day=stored.created_at.astimezone(UTC).date().isoformat(),
                    calls=len(reading.calls),
                    problems=tuple(problems),
                    tokens=known_sum((timing.prompt_tokens, timing.completion_tokens)),
                )


class _Result(NamedTuple):
    tool: str
    text: str
    has_failed: bool


@dataclass(slots=True)
class _Turn:
    """What happened in a turn so far."""

    user_id: str
    made: set[str] = field(default_factory=set[str])
    """Keys of the calls."""
    results: list[_Result] = field(default_factory=list[_Result])
    last_results: list[_Result] = field(default_factory=list[_Result])
    """Those after the last completion."""

    def add(self, calls: Sequence[ReadCall], answer: str) -> Iterator[TurnProblem]:
        """Add a completion, and yield what is wrong with it in this turn."""
        for call in calls:
            key = call_key(call.name, call.arguments)
            if key in self.made:
                yield TurnProblem(ProblemKind.REPEATED_CALL, call.name)
            self.made.add(key)
        if not calls:
            yield from self._answered(answer)
        self.last_results = []

    def _answered(self, answer: str) -> Iterator[TurnProblem]:
        said = _words(answer)
        for result in self.last_results:
            words = _words(_values_of(result.text))
            if words and not result.has_failed and words.isdisjoint(said):
                yield TurnProblem(ProblemKind.IGNORED_RESULT, result.tool)
        last_failure = {result.tool: result.has_failed for result in self.results}
        for tool, is_failed in last_failure.items():
            if is_failed:
                yield TurnProblem(ProblemKind.NOT_RECOVERED, tool)


def _call_problems(calls: Sequence[ReadCall], facts: Sequence[MessageFact]) -> Iterator[TurnProblem]:
    """Yield the calls that cannot be run: by their reading, or by facts if the tools have changed since then."""
    for call in calls:
        if call.status is not CallStatus.READY:
            yield TurnProblem(ProblemKind(call.status.value), call.name)
            continue
        codes = {
            fact.code for fact in facts if fact.span and call.span.start <= fact.span.start < call.span.end
        }
        if ProblemKind.UNKNOWN_TOOL in codes:
            yield TurnProblem(ProblemKind.UNKNOWN_TOOL, call.name)
        elif any(code.startswith("schema-") for code in codes):
            yield TurnProblem(ProblemKind.INVALID_ARGUMENTS, call.name)


_WORD: Final = re.compile(r"\d+|[^\W\d_]{4,}")


def _words(text: str) -> set[str]:
    """Return the numbers and the longer words of a text.

    >>> sorted(_words("It is 31.5 degrees in Rome"))
    ['31', '5', 'degrees', 'rome']
    """
    return set(_WORD.findall(text.casefold()))


def _values_of(text: str) -> str:
    """Return a result without its keys, because an answer does not name them."""
    try:
        open_values: list[JsonValue] = [cast(JsonValue, json.loads(text))]
    except (ValueError, RecursionError):
        return text
    found: list[str] = []
    while open_values:
        value = open_values.pop()
        if isinstance(value, Mapping):
            open_values.extend(value.values())
        elif isinstance(value, list):
            open_values.extend(value)
        elif value is not None and not isinstance(value, bool):
            found.append(str(value))
    return " ".join(found)


def turn_score(group: str, completions: Sequence[ScoredCompletion]) -> TurnScore:
    """Return the score of completions, each of which is given once."""
    counted = Counter(problem.kind for completion in completions for problem in completion.problems)
    tokens: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for completion in completions:
        tokens[completion.session_id, completion.turn_id].append(completion.tokens)
    sums = [sum(filter(None, counts)) for counts in tokens.values() if None not in counts]
    return TurnScore(
        group=group,
        turns=len(tokens),
        completions=len(completions),
        calls=sum(completion.calls for completion in completions),
        problems={kind: counted[kind] for kind in ProblemKind},
        tokens_per_turn=fmean(sums) if sums else None,
    )


def scores_by(
    key: Callable[[ScoredCompletion], str], completions: Iterable[ScoredCompletion]
) -> tuple[TurnScore, ...]:
    """Return a score for each group, sorted by its name."""
    groups: dict[str, list[ScoredCompletion]] = defaultdict(list)
    for completion in completions:
        groups[key(completion)].append(completion)
    return tuple(turn_score(name, groups[name]) for name in sorted(groups))


def score_table(what: str, scores: Sequence[TurnScore]) -> Table:
    """Return a table with a row for each score.

    Args:
        what: Heading of the first column.
    """
    kinds = tuple(kind.value.replace("-", " ") for kind in ProblemKind)
    return Table(
        head=(what, "turns", "calls", *kinds, "tokens a turn"),
        rows=tuple(
            (
                score.group,
                f"{score.turns:,}",
                f"{score.calls:,}",
                *(f"{score.problems[kind]:,}" for kind in ProblemKind),
                NONE if score.tokens_per_turn is None else f"{score.tokens_per_turn:,.0f}",
            )
            for score in scores
        ),
    )


def score_json(score: TurnScore) -> JsonObject:
    """Return a score as JSON. Tokens are null if they are not known."""
    return {
        "group": score.group,
        "turns": score.turns,
        "completions": score.completions,
        "calls": score.calls,
        "problems": {kind.value: number for kind, number in score.problems.items()},
        "tokens_per_turn": score.tokens_per_turn,
    }
