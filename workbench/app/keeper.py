"""Keeps a turn's messages: each whole the moment it ends, and what is written of it before that."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.app.services import Services
from workbench.chat.message import Message, Role
from workbench.errors import StoreError
from workbench.records.sessions import KeptMessage, NewMessage, Origin
from workbench.records.setup import Setup
from workbench.rollout.events import Generation

SAVED_EVERY_S: Final = 0.5
"""What is written so far is saved this often at most: what a killed process can lose of a message."""


@dataclass(slots=True, kw_only=True)
class Keeper:
    """Appends to one session, each message under the one before."""

    services: Services
    """The edges."""
    session_id: str
    """The session."""
    parent_id: str
    """The last message that was kept."""
    setup: Setup | None = None
    """What is played, where it is not the session's; None where it is."""
    is_shown: bool = True
    """False leaves the session's open leaf where it is."""
    _generation: Generation | None = field(default=None, init=False)
    _pieces: list[str] = field(default_factory=list[str], init=False)
    _unfinished_id: str | None = field(default=None, init=False)
    _saved_at_s: float = field(default=0.0, init=False)
    _ended: NewMessage | None = field(default=None, init=False)

    def begin(self, generation: Generation) -> None:
        """A completion begins; nothing of it is written yet."""
        self._generation, self._unfinished_id = generation, None
        self._pieces.clear()

    def add(self, piece: str) -> None:
        """More of the completion; saved at its first token, and now and then from there on."""
        self._pieces.append(piece)
        generation = self._generation
        if generation is None or not self._is_due():
            return
        # A save that fails ends no turn: the next one has all of it, and keeping the message will tell.
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
        """A message is whole, and is about to be told of; `keep` or `break_off` commits it."""
        self._ended = replace(new, setup=self.setup)

    def keep(self) -> KeptMessage:
        """Commits the message that has ended.

        Raises:
            StoreError: It could not be committed.
        """
        if self._ended is None:
            raise ValueError("no message has ended")
        kept = self.services.sessions.append(
            self.session_id,
            self._ended,
            parent_id=self.parent_id,
            unfinished_id=self._unfinished_id,
            is_shown=self.is_shown,
        )
        self.parent_id = kept.id
        self._generation, self._unfinished_id, self._ended = None, None, None
        return kept

    def break_off(self) -> None:
        """Nothing more will come: what has ended, or what there is of it, is kept.

        Raises:
            StoreError: It could not be committed.
        """
        text, generation = "".join(self._pieces), self._generation
        if self._ended is None and generation is not None and text.removeprefix(generation.prefill):
            message = Message(role=Role.ASSISTANT, text=text)
            self.end(NewMessage(message=message, origin=Origin.MODEL, generation=generation))
        if self._ended is not None:
            self.keep()

    def _is_due(self) -> bool:
        if self._unfinished_id is None:
            return bool(
                "".join(self._pieces).removeprefix(self._generation.prefill if self._generation else "")
            )
        return self.services.calendar.seconds() - self._saved_at_s >= SAVED_EVERY_S
