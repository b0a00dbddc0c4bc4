"""Stored sessions and messages, with their ids and times."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Message, Role
from workbench.records.run_config import RunConfig
from workbench.rollout.events import Generation


class MessageOrigin(StrEnum):
    """Where a message comes from."""

    MODEL = "model"
    PERSON = "person"
    MOCK = "mock"
    IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToolRun:
    """How a tool's message came to be."""

    call_index: int
    """Place of the call in the reading of the message above, from 0."""
    is_error: bool
    """True where the tool failed or the call was refused."""
    milliseconds: float
    """From call to result."""
    rule: str | None
    """Which mock rule answered; None where none did."""
    arguments_text: str | None = None
    """The call's body as the model wrote it; None where it is not known."""
    arguments: JsonObject | None = field(default=None, hash=False)
    """What the tool was given, after fixes and coercions; None where it is not known."""
    findings: tuple[Finding, ...] = ()
    """What was changed in the arguments before it ran, and what went wrong beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message on its way into the store."""

    message: Message
    """Role and text, byte for byte."""
    origin: MessageOrigin
    generation: Generation | None = None
    """Of a model's message: how it came to be; None for all others."""
    tool_run: StoredToolRun | None = None
    """Of a tool's message: how it came to be; None for all others."""
    copy_of: str | None = None
    """Of a copy on another branch: the message of the same session whose generation it shares; None for all
    others."""
    setup: RunConfig | None = None
    """Of a model's message: what it was played with, where that is not the session's; None where it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message of the store."""

    id: str
    """Unguessable; unique over all sessions."""
    parent_id: str | None
    """The message before it; None for a root."""
    message: Message
    """Role and text, byte for byte."""
    origin: MessageOrigin
    created_at: datetime
    """When it was committed, UTC."""
    generation: Generation | None
    """As in `NewMessage`."""
    tool_run: StoredToolRun | None
    """As in `NewMessage`."""
    copy_of: str | None = None
    """As in `NewMessage`; always the first of all that are alike, never a copy itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """A message's place in its session's tree."""

    id: str
    parent_id: str | None
    """The message before it; None for a root."""
    role: Role
    created_at: datetime
    """When it was committed, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedMessages:
    """A message that was deleted, with all that followed it."""

    message_id: str
    role: Role
    excerpt: str
    count: int
    """Messages, itself among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """A conversation as a list shows it."""

    id: str
    """Unguessable; stands in the address bar."""
    title: str
    """As it was named, or the first words of the user."""
    tags: tuple[str, ...]
    """In the order given."""
    created_at: datetime
    """When it was made, UTC."""
    updated_at: datetime
    """When its last message was committed or its setup changed, UTC."""
    deleted_at: datetime | None
    """When it was deleted, UTC; it is purged 30 days later. None where it was not."""
    message_count: int
    is_own: bool
    """False for an admin who sees another owner's."""
    is_shared: bool
    """True while a link shows it to others."""
    damage: str | None = None
    """What of its row cannot be read; None where it is sound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A conversation of the store."""

    id: str
    """Unguessable; stands in the address bar."""
    title: str
    """As it was named, or the first words of the user; empty before there are any."""
    created_at: datetime
    """When it was made, UTC."""
    updated_at: datetime
    """When its last message was committed or its setup changed, UTC."""
    setup: RunConfig
    """As last used."""
    leaf_id: str | None
    """The open leaf: last message of the path that is shown; None while there is no message."""
    message_count: int
    tags: tuple[str, ...] = ()
    """In the order given."""
    is_own: bool = True
    """False where it is another owner's and only read: by a link, or by an admin."""
    share_key: str | None = None
    """What a link needs to show it to others, read-only; None while it is not shared."""
    copied_from: str | None = None
    """Id of the session that it was copied from, which may be purged by now; None where it is no copy."""


SEPARATOR: Final = "\n\n"
"""Stands between the composed system text and the ephemeral part."""


def with_ephemeral(system_text: str, ephemeral: str) -> str:
    """The system text as the model sees it.

    >>> with_ephemeral("You can call tools.", "The user is Ada.")
    'You can call tools.\\n\\nThe user is Ada.'
    """
    return system_text + SEPARATOR + ephemeral if ephemeral else system_text


def without_ephemeral(stored: StoredMessage) -> StoredMessage:
    """The same message as others may see it; a prompt that had an ephemeral part is not exact any more."""
    if stored.generation is None or not stored.generation.ephemeral:
        return stored
    return replace(stored, generation=_cut(stored.generation))


def _cut(generation: Generation) -> Generation:
    before, found, after = generation.prompt_text.partition(SEPARATOR + generation.ephemeral)
    # Where rendering changed the part, it cannot be told from the rest: then nothing is shown.
    return replace(generation, prompt_text=before + after if found else "", is_exact=False, ephemeral="")
