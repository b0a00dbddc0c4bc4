"""Store each message of a turn as soon as it is complete."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.app.prepare import PreparedTurn
from workbench.app.services import Services
from workbench.app.turn_request import MessageStored
from workbench.chat.message import Message, Role
from workbench.errors import StoreError
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage, StoredToolRun
from workbench.rollout.events import (
    CompletionEnded,
    Event,
    Generation,
    PieceArrived,
    RoundStarted,
    ToolFinished,
)
from workbench.rollout.steps import BY_HAND

SAVED_EVERY_S: Final = 0.5
"""The shortest time between two saves of a text that is being generated. A killed process can lose this much."""


@dataclass(slots=True, kw_only=True)
class TurnRecorder:
    """Stores the messages of a turn, each under the previous one, and saves unfinished text in between."""

    services: Services
    session_id: str
    parent_id: str
    """The last stored message."""
    setup: RunConfig | None = None
    """The setup of the turn, if it differs from the session's. None if it is the session's."""
    is_shown: bool = True
    """False does not change the session's open leaf."""
    _generation: Generation | None = field(default=None, init=False)
    _pieces: list[str] = field(default_factory=list[str], init=False)
    _unfinished_id: str | None = field(default=None, init=False)
    _saved_at_s: float = field(default=0.0, init=False)
    _ended: NewMessage | None = field(default=None, init=False)

    def begin(self, generation: Generation) -> None:
        """Start to record a completion."""
        self._generation, self._unfinished_id = generation, None
        self._pieces.clear()

    def add(self, piece: str) -> None:
        """Add a piece of the completion, and save the text so far if it is due."""
        self._pieces.append(piece)
        generation = self._generation
        if generation is None or not self._is_due():
            return
        # A failed save does not end the turn. The next one contains all of the text, and if storing the complete
        # message fails too, that is reported.
        with suppress(StoreError):
            self._unfinished_id = self.services.sessions.save_unfinished(
                self.session_id,
                "".join(self._pieces),
                generation,
                parent_id=self.parent_id,
                unfinished_id=self._unfinished_id,
            )
        self._saved_at_s = self.services.calendar.seconds()

    def end(self, new: NewMessage) -> None:
        """Set the complete message. `store` or `break_off` stores it."""
        self._ended = replace(new, setup=self.setup)

    def store(self) -> StoredMessage:
        """Store the message that was set by `end`.

        Raises:
            StoreError: The message could not be stored.
        """
        if self._ended is None:
            raise ValueError("no message has ended")
        stored = self.services.sessions.append(
            self.session_id,
            self._ended,
            parent_id=self.parent_id,
            unfinished_id=self._unfinished_id,
            is_shown=self.is_shown,
        )
        self.parent_id = stored.id
        self._generation, self._unfinished_id, self._ended = None, None, None
        return stored

    def break_off(self) -> None:
        """Store a complete message that is not stored yet, or else the text so far, because the turn ends early.

        Raises:
            StoreError: The message could not be stored.
        """
        text, generation = "".join(self._pieces), self._generation
        if self._ended is None and generation is not None and text.removeprefix(generation.prefill):
            message = Message(role=Role.ASSISTANT, text=text)
            self.end(NewMessage(message=message, origin=MessageOrigin.MODEL, generation=generation))
        if self._ended is not None:
            self.store()

    def _is_due(self) -> bool:
        if self._unfinished_id is None:
            return bool(
                "".join(self._pieces).removeprefix(self._generation.prefill if self._generation else "")
            )
        return self.services.calendar.seconds() - self._saved_at_s >= SAVED_EVERY_S


def record_turn(
    prepared: PreparedTurn, recorder: TurnRecorder, ephemeral: str
) -> Iterator[Event | MessageStored]:
    """Yield the events of a turn and store its messages, with a `MessageStored` after each event that ends one.

    If the iteration ends early or raises, the partial message is stored.

    Args:
        ephemeral: The ephemeral system text of the turn, which is stored with each generation.
    """
    try:
        for event in prepared.events():
            if isinstance(event, RoundStarted | CompletionEnded):
                event = replace(event, generation=replace(event.generation, ephemeral=ephemeral))
            if isinstance(event, RoundStarted):
                recorder.begin(event.generation)
            elif isinstance(event, PieceArrived):
                recorder.add(event.text)
            elif isinstance(event, CompletionEnded | ToolFinished):
                recorder.end(_ended(event))
            yield event
            if isinstance(event, CompletionEnded | ToolFinished):
                yield MessageStored(stored=recorder.store())
    except BaseException:
        recorder.break_off()
        raise
    finally:
        prepared.client.end()


def _ended(event: CompletionEnded | ToolFinished) -> NewMessage:
    if isinstance(event, CompletionEnded):
        return NewMessage(message=event.message, origin=MessageOrigin.MODEL, generation=event.generation)
    run = StoredToolRun(
        call_index=event.index,
        is_error=event.run.result.is_error,
        milliseconds=event.run.milliseconds,
        rule=event.run.rule,
        arguments_text=event.call.payload,
        arguments=event.call.arguments if event.run.arguments is None else event.run.arguments,
        findings=event.run.findings,
    )
    origin = MessageOrigin.PERSON if event.run.rule == BY_HAND else MessageOrigin.MOCK
    return NewMessage(message=event.message, origin=origin, tool_run=run, world_patch=event.run.world_patch)
