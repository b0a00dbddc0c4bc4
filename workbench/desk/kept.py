"""Kept values: what the store gives back, with ids and times."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from workbench.chat.message import Message
from workbench.desk.setup import Setup
from workbench.rollout.events import Generation


class Origin(StrEnum):
    """Where a message comes from."""

    MODEL = "model"
    PERSON = "person"
    MOCK = "mock"
    IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptToolRun:
    """How a tool's message came to be."""

    call_index: int
    """Place of the call in the reading of the message above, from 0."""
    is_error: bool
    """True where the tool failed or the call was refused."""
    milliseconds: float
    """From call to result."""
    rule: str | None
    """Which mock rule answered; None where none did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message on its way into the store."""

    message: Message
    """Role and text, byte for byte."""
    origin: Origin
    """Where it comes from."""
    generation: Generation | None = None
    """Of a model's message: how it came to be; None for all others."""
    tool_run: KeptToolRun | None = None
    """Of a tool's message: how it came to be; None for all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMessage:
    """A message of the store."""

    id: str
    """Unguessable; unique over all sessions."""
    parent_id: str | None
    """The message before it; None for a root."""
    message: Message
    """Role and text, byte for byte."""
    origin: Origin
    """Where it comes from."""
    created_at: datetime
    """When it was committed, UTC."""
    generation: Generation | None
    """As in `NewMessage`."""
    tool_run: KeptToolRun | None
    """As in `NewMessage`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSession:
    """A conversation of the store."""

    id: str
    """Unguessable; stands in the address bar."""
    title: str
    """The first words of the user; empty before there are any."""
    created_at: datetime
    """When it was made, UTC."""
    updated_at: datetime
    """When its last message was committed or its setup changed, UTC."""
    setup: Setup
    """As last used."""
    leaf_id: str | None
    """The open leaf: last message of the path that is shown; None while there is no message."""
    message_count: int
    """Messages on all branches."""
