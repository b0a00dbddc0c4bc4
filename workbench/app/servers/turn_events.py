"""The events of a turn as JSON, for another server that shows the turn.

What is in the store is not sent again: a completed message is named by its id, and the other server reads it. Its
completion is then known, too, so `CompletionEnded` and `ToolFinished` are not sent.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Any, Final, cast

from pydantic import TypeAdapter

from workbench.app.person import PersonAnswered, PersonAwaited
from workbench.app.tasks import EventBatch, LoggedEvent
from workbench.app.turn_request import MessageStored, SampleStarted, TurnEvent
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role, ToolCall
from workbench.hermes.written_out import read_message
from workbench.records.sessions import StoredMessage
from workbench.rollout.events import (
    CompletionEnded,
    PieceArrived,
    QueuePositionChanged,
    RoundStarted,
    ToolFinished,
    TurnEnded,
)

_PLAIN: Final = {
    kind.__name__: kind
    for kind in (RoundStarted, QueuePositionChanged, PieceArrived, TurnEnded, PersonAnswered, SampleStarted)
}
"""Events whose fields are sent as they are, by name."""
FindMessage = Callable[[str], StoredMessage | None]
"""Returns a stored message by its id, or None."""


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(_PLAIN[name])


def batch_document(batch: EventBatch[TurnEvent], *, now_s: float) -> JsonObject:
    """Return events as JSON. Pieces that follow each other are joined.

    Args:
        now_s: The time on the clock of the events. Their age is sent, because each machine has a clock of its own.
    """
    entries = [_entry(logged, now_s) for logged in _joined(batch) if _is_sent(logged.event)]
    return cast(JsonObject, {"is_restart": batch.is_restart, "entries": entries})


def read_batch(
    document: Mapping[str, Any], find_message: FindMessage, *, now_s: float
) -> EventBatch[TurnEvent]:
    """Return the events of a document.

    Args:
        find_message: Finds the messages that are stored.
        now_s: The time on the clock that the events shall have.
    """
    logged = [found for entry in document["entries"] for found in _logged(entry, find_message, now_s)]
    return EventBatch(logged=logged, is_restart=bool(document["is_restart"]))


def _is_sent(event: TurnEvent) -> bool:
    return not isinstance(event, CompletionEnded | ToolFinished)


def _joined(batch: EventBatch[TurnEvent]) -> Iterator[LoggedEvent[TurnEvent]]:
    """Join pieces that follow each other, but not the first of a round, which may be the prefill."""
    joined: LoggedEvent[TurnEvent] | None = None
    is_first = True
    for logged in batch.logged:
        event = logged.event
        if not isinstance(event, PieceArrived) or is_first:
            if joined is not None:
                yield joined
            joined = None
            yield logged
            is_first = not isinstance(event, PieceArrived)
        elif joined is None:
            joined = logged
        else:
            text = cast(PieceArrived, joined.event).text + event.text
            joined = replace(joined, event=PieceArrived(text=text), count=joined.count + logged.count)
    if joined is not None:
        yield joined


def _entry(logged: LoggedEvent[TurnEvent], now_s: float) -> JsonObject:
    event = logged.event
    entry: dict[str, Any] = {
        "kind": type(event).__name__,
        "age_s": now_s - logged.at_s,
        "count": logged.count,
    }
    if isinstance(event, MessageStored):
        entry["id"] = event.stored.id
    elif isinstance(event, PersonAwaited):
        entry["event"] = {**asdict(event), "reasons": list(event.reasons)}
    else:
        entry["event"] = _adapter(type(event).__name__).dump_python(event, mode="json")
    return entry


def _logged(
    entry: Mapping[str, Any], find_message: FindMessage, now_s: float
) -> Iterator[LoggedEvent[TurnEvent]]:
    at_s = now_s - float(entry["age_s"])
    for event in _events(entry, find_message):
        yield LoggedEvent(event=event, at_s=at_s, count=int(entry["count"]))


def _events(entry: Mapping[str, Any], find_message: FindMessage) -> Iterator[TurnEvent]:
    kind = entry["kind"]
    if kind == MessageStored.__name__:
        stored = find_message(str(entry["id"]))
        if stored is not None:
            yield from stored_events(stored)
    elif kind == PersonAwaited.__name__:
        fields = entry["event"]
        yield PersonAwaited(
            call=ToolCall(**fields["call"]),
            reasons=tuple(fields["reasons"]),
            question=int(fields["question"]),
        )
    else:
        yield _adapter(kind).validate_python(entry["event"])


def stored_events(stored: StoredMessage) -> Iterator[TurnEvent]:
    """Yield what happened when a message was completed and stored."""
    if stored.message.role is Role.ASSISTANT and stored.generation is not None:
        finish_reason = stored.generation.finish_reason.value
        reading = read_message(stored.message, tools=None, finish_reason=finish_reason)
        yield CompletionEnded(message=stored.message, reading=reading, generation=stored.generation)
    yield MessageStored(stored=stored)
