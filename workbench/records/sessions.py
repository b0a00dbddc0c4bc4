"""Sessions and messages as stored, with their ids and times."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Message, Role
from workbench.errors import OffBranch
from workbench.records.run_config import RunConfig
from workbench.rollout.events import Generation
from workbench.toolspec.world.patches import WorldPatch


class MessageOrigin(StrEnum):
    """Origin of a message."""

    MODEL = "model"
    PERSON = "person"
    MOCK = "mock"
    IMPORT = "import"
    GATEWAY = "gateway"
    """Sent by a client of the gateway."""
    SCRIPTED = "scripted"
    """Said by the scripted person of a case."""
    SIMULATED = "simulated"
    """Said by a model that acts as the person of a case."""


class SessionSource(StrEnum):
    """Where a session comes from."""

    CHAT = "chat"
    """A conversation in the workbench, or a rollout of it."""
    IMPORT = "import"
    """A row of a dataset."""
    GATEWAY = "gateway"
    """The requests of a client, recorded by the gateway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToolRun:
    """How a tool's result was produced."""

    call_index: int
    """Index of the call in the reading of the message before it, from 0."""
    is_error: bool
    """True if the tool failed or the call was refused."""
    milliseconds: float
    """From call to result."""
    rule: str | None
    """The mock rule that answered; None if none did."""
    arguments_text: str | None = None
    """Body of the call as the model wrote it; None if unknown."""
    arguments: JsonObject | None = field(default=None, hash=False)
    """Arguments that the tool got, after fixes and coercions; None if unknown."""
    findings: tuple[Finding, ...] = ()
    """Changes to the arguments before the tool ran, and other problems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to be stored."""

    message: Message
    """Role and text, byte for byte."""
    origin: MessageOrigin
    generation: Generation | None = None
    """How a model's message was generated; None for other roles."""
    tool_run: StoredToolRun | None = None
    """How a tool's result was produced; None for other roles."""
    copy_of: str | None = None
    """For a copy on another branch, id of the message in the same session whose generation it shares; otherwise
    None."""
    setup: RunConfig | None = None
    """Settings that a model's message was generated with, if they differ from the session's; otherwise None."""
    world_patch: WorldPatch = field(default=(), hash=False)
    """What changed in the world of the session with this message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A stored message."""

    id: str
    """Random and hard to guess; unique over all sessions."""
    parent_id: str | None
    """The message before it; None for a root."""
    message: Message
    """Role and text, byte for byte."""
    origin: MessageOrigin
    created_at: datetime
    """When it was stored, UTC."""
    generation: Generation | None
    """As in `NewMessage`."""
    tool_run: StoredToolRun | None
    """As in `NewMessage`."""
    copy_of: str | None = None
    """As in `NewMessage`; always the original, never another copy."""
    world_patch: WorldPatch = field(default=(), hash=False)
    """As in `NewMessage`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """Position of a message in its session's tree."""

    id: str
    parent_id: str | None
    """The message before it; None for a root."""
    role: Role
    created_at: datetime
    """When it was stored, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedMessages:
    """A deleted message and the messages that followed it."""

    message_id: str
    role: Role
    excerpt: str
    count: int
    """Number of deleted messages, including this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """A session in a list."""

    id: str
    """Random and hard to guess; part of the page's URL."""
    title: str
    """Name given by the user, or the first words of the first user message."""
    tags: tuple[str, ...]
    """In the order given."""
    created_at: datetime
    """When it was created, UTC."""
    updated_at: datetime
    """When its last message was stored or its settings changed, UTC."""
    deleted_at: datetime | None
    """When it was deleted, UTC; it is purged 30 days later. None if it is not deleted."""
    message_count: int
    is_own: bool
    """False if it belongs to another owner and an admin sees it."""
    is_shared: bool
    """True while it is shared by a link."""
    client: str | None = None
    """The client of the last request, such as `OpenAI/Python 2.8.1`, if the gateway recorded the session; empty if
    the client gave no name. None if the session was not recorded."""
    damage: str | None = None
    """Which part of its row cannot be read; None if the row is intact."""

    @property
    def is_recorded(self) -> bool:
        """Whether the gateway recorded it."""
        return self.client is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A stored session."""

    id: str
    """Random and hard to guess; part of the page's URL."""
    title: str
    """Name given by the user, or the first words of the first user message; empty if there is none."""
    created_at: datetime
    """When it was created, UTC."""
    updated_at: datetime
    """When its last message was stored or its settings changed, UTC."""
    setup: RunConfig
    """As last used."""
    leaf_id: str | None
    """Last message of the displayed path; None while there is no message."""
    message_count: int
    tags: tuple[str, ...] = ()
    """In the order given."""
    is_own: bool = True
    """False if it belongs to another owner and is read-only, for an admin or through a link."""
    share_key: str | None = None
    """Key in the link that shares it read-only; None while it is not shared."""
    copied_from: str | None = None
    """Id of the session that it was copied from, which may no longer exist; None if it is not a copy."""


SEPARATOR: Final = "\n\n"
"""Separator between the composed system text and the ephemeral part."""


def index_on(path: Sequence[StoredMessage], message_id: str) -> int:
    """Return the index of a message on a path.

    Raises:
        OffBranch: The message is not on the path.
    """
    for index, stored in enumerate(path):
        if stored.id == message_id:
            return index
    raise OffBranch(message_id)


def copy_of(stored: StoredMessage) -> NewMessage:
    """Return a copy of a message for another branch."""
    return NewMessage(
        message=stored.message,
        origin=stored.origin,
        generation=stored.generation,
        tool_run=stored.tool_run,
        copy_of=stored.id,
        world_patch=stored.world_patch,
    )


def continued(
    path: Sequence[StoredMessage], system: Message, said: NewMessage | None
) -> tuple[Sequence[StoredMessage], Sequence[NewMessage]]:
    """Return the part of a path that a new turn keeps, and the new messages below it.

    A user message without an answer at the end is left out: what is said becomes its sibling. If the system message
    changes, everything is copied under the new one. For example, `System A, Hi, Hello` continued with `Bye` under
    `System B` keeps nothing, and has the new messages `System B`, a copy of `Hi`, a copy of `Hello`, and `Bye`.

    Args:
        said: The user's message. None continues the path as it is.
    """
    if said and path and path[-1].message.role is Role.USER:
        said, path = replace(said, world_patch=path[-1].world_patch), path[:-1]
    new = [] if said is None else [said]
    if path and path[0].message == system:
        return path, new
    has_root = bool(path) and path[0].message.role is Role.SYSTEM
    patch = path[0].world_patch if has_root else ()
    root = NewMessage(message=system, origin=MessageOrigin.PERSON, world_patch=patch)
    return (), [root, *map(copy_of, path[1:] if has_root else path), *new]


def with_ephemeral(system_text: str, ephemeral: str) -> str:
    """Return the system text as the model sees it.

    >>> with_ephemeral("You can call tools.", "The user is Ada.")
    'You can call tools.\\n\\nThe user is Ada.'
    """
    return system_text + SEPARATOR + ephemeral if ephemeral else system_text


def without_ephemeral(stored: StoredMessage) -> StoredMessage:
    """Remove the ephemeral part from a message's stored prompt, which is then no longer exact."""
    if stored.generation is None or not stored.generation.ephemeral:
        return stored
    return replace(stored, generation=_cut(stored.generation))


def _cut(generation: Generation) -> Generation:
    before, found, after = generation.prompt_text.partition(SEPARATOR + generation.ephemeral)
    # If rendering changed the ephemeral part, it cannot be found; then the whole prompt is removed.
    return replace(generation, prompt_text=before + after if found else "", is_exact=False, ephemeral="")
