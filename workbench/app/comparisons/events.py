"""The events of a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from workbench.app.running_turn import condense_turn
from workbench.app.tasks import LoggedEvent
from workbench.records.comparisons import ComparisonAnswer
from workbench.rollout.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStarted:
    """A column has started to answer a turn."""

    column: int
    """Index of the column, from 0."""
    turn: int
    """Index of the turn, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerProgress:
    """An event of an answer that is being generated."""

    column: int
    """Index of the column, from 0."""
    turn: int
    """Index of the turn, from 0."""
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEnded:
    """A column has answered a turn or failed to. The answer is stored."""

    answer: ComparisonAnswer


CompareEvent = AnswerStarted | AnswerProgress | AnswerEnded
"""Any event of a comparison."""


def condense_comparison(
    logged: Sequence[LoggedEvent[CompareEvent]],
) -> Sequence[LoggedEvent[CompareEvent]]:
    """Return the answers in progress, each as its start, its last round and its text. Ended answers are stored."""
    columns: dict[int, list[LoggedEvent[CompareEvent]]] = {}
    for entry in logged:
        event = entry.event
        if isinstance(event, AnswerEnded):
            columns.pop(event.answer.column, None)
        elif isinstance(event, AnswerStarted):
            columns[event.column] = [entry]
        else:
            columns.setdefault(event.column, []).append(entry)
    return [entry for column in columns.values() for entry in (*column[:1], *_condensed_progress(column[1:]))]


def _condensed_progress(
    logged: Sequence[LoggedEvent[CompareEvent]],
) -> Sequence[LoggedEvent[CompareEvent]]:
    """Condense the events of one answer like those of a turn."""
    inner = {id(entry): entry.event for entry in logged if isinstance(entry.event, AnswerProgress)}
    if not inner:
        return ()
    first = next(iter(inner.values()))
    condensed = condense_turn(
        [
            LoggedEvent(event=inner[id(entry)].event, at_s=entry.at_s, count=entry.count)
            for entry in logged
            if id(entry) in inner
        ]
    )
    return [
        LoggedEvent(
            event=AnswerProgress(column=first.column, turn=first.turn, event=cast(Event, entry.event)),
            at_s=entry.at_s,
            count=entry.count,
        )
        for entry in condensed
    ]
