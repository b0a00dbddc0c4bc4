"""What an export needs to know about a session: messages, sources, labels and votes; and the filter of sessions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final

from workbench.chat.message import Message, Role
from workbench.records.comparisons import NO_PREFERENCES, Preferences
from workbench.records.label import Label
from workbench.records.label_words import QueueState
from workbench.records.run_config import RunConfig
from workbench.records.session_tree import path_ids
from workbench.records.sessions import MessageOrigin, SessionSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportBlocker:
    """A reason why a session or row is not exported."""

    code: str
    """Stable code of `docs/reference/formats.md`, or one of the validator's."""
    message: str
    """What is wrong, where, and what to do."""
    message_id: str | None = None
    """The session's message; None if the reason is not about a single message."""
    pointer: str = ""
    """JSON pointer into the row; empty for the whole row, or if there is no row yet."""
    is_defect: bool = True
    """False: nothing is wrong, but the session is not ready or was not requested."""


def not_ready(code: str, message: str, message_id: str | None = None) -> ExportBlocker:
    """Return the reason why a session is not a row yet."""
    return ExportBlocker(code=code, message=message, message_id=message_id, is_defect=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """Conditions that a session must all meet. None means no condition.

    Sessions of suite runs are left out, unless their ids or a labelling state is given.
    """

    session_ids: tuple[str, ...] | None = None
    tag: str | None = None
    """One of its tags, or a tag of its labels."""
    verdict: str | None = None
    """A label has this `Verdict`. If a target has a deciding label, only that one counts."""
    min_rating: int | None = None
    """It has a rating, and no rating that counts is lower."""
    max_rating: int | None = None
    """It has a rating, and no rating that counts is higher."""
    state: QueueState | None = None
    """State of its labelling; `pending` includes sessions that were never assigned."""
    project: str | None = None
    """Labelling project whose labels and queue count; None for all projects."""
    contract: str | None = None
    """Name of its contract, or the first 6 or more characters of the hash of the contract's text."""
    model: str | None = None
    """Name of an engine that generated one of its messages."""
    source: SessionSource | None = None
    """Where it comes from."""
    since: datetime | None = None
    """Last used at or after this time, with time zone."""
    until: datetime | None = None
    """Last used before this time, with time zone."""
    includes_discarded: bool = False
    """Whether to include sessions that annotators discarded; with the `state` discarded they always are."""


EVERYTHING: Final = SessionFilter()
"""All sessions except discarded ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationSource:
    """What a model's message was generated with."""

    engine_name: str
    engine_fingerprint: str
    tools_fingerprint: str
    contract_fingerprint: str | None
    """Fingerprint of the contract; None if there was none."""
    finish_reason: str
    """Why the generation ended; a `FinishReason`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportMessage:
    """A message of a session, without its prompt."""

    id: str
    parent_id: str | None
    """The message before it; None for a root."""
    original_id: str
    """Id of the message whose labels it shares: its own, or the original's if it is a copy."""
    message: Message
    """Role and text, byte for byte."""
    made_with: GenerationSource | None = None
    """How a model's message was generated; None for other roles and for imported messages."""
    origin: MessageOrigin | None = None
    """Who wrote it; None if that is not known."""

    @property
    def is_by_person(self) -> bool:
        """Whether a person wrote it in place of the model or the tool: an edited answer, or a result by hand."""
        return self.origin is MessageOrigin.PERSON and self.message.role in (Role.ASSISTANT, Role.TOOL)


ID_FIELDS: Final = (
    "id",
    "row_id",
    "uid",
    "uuid",
    "_id",
    "sample_id",
    "example_id",
    "conversation_id",
    "prompt_id",
    "task_id",
)
"""Columns that may hold a row's own id. The first one that a row has counts."""
_LONGEST_ID: Final = 200


def row_id_of(fields: Mapping[str, object]) -> str:
    """Return a row's own id as text, or an empty text if it has none.

    >>> row_id_of({"messages": [], "id": 17})
    '17'
    """
    for name in ID_FIELDS:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()[:_LONGEST_ID]
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRow:
    """The row that a session was imported from."""

    format: str
    row_text: str
    """The row as JSON."""
    original: bytes | None = None
    """The line of the file without its line feed, byte for byte; None if the row was not a line of JSON."""
    digest: str
    """SHA-256 (hex) of its canonical JSON."""
    file: str
    number: int
    """Number of the row in the file, from 1."""
    message_ids: tuple[str, ...]
    """Id of the session's message for each message of the row's trajectory, in order."""
    rejected_ids: tuple[str, ...] = ()
    """The same for the answer that was not chosen."""


@dataclass(frozen=True, kw_only=True)
class SessionMaterial:
    """A session with all its branches."""

    session_id: str
    title: str
    setup: RunConfig
    """As last used."""
    leaf_id: str | None
    """Last message of the displayed path."""
    messages: Sequence[ExportMessage]
    """Messages of all branches; parents before their children."""
    labels: Sequence[Label] = ()
    """In the order in which they were created."""
    stale: Collection[str] = frozenset()
    """Ids of stale messages, on any branch: a message above them was corrected."""
    imported: ImportedRow | None = None
    """The row that it was imported from; None if it was not imported."""
    preferences: Preferences = NO_PREFERENCES
    """Votes on its turns."""

    @cached_property
    def by_id(self) -> Mapping[str, ExportMessage]:
        """The messages by id."""
        return {message.id: message for message in self.messages}

    def path(self, leaf_id: str | None) -> tuple[ExportMessage, ...]:
        """Return the messages from the root to a leaf; empty for None.

        Raises:
            StoreError: The messages do not form a tree.
        """
        if leaf_id is None:
            return ()
        return tuple(
            self.by_id[message_id] for message_id in path_ids(self._parents, leaf_id, self.session_id)
        )

    @cached_property
    def _parents(self) -> Mapping[str, str | None]:
        return {message.id: message.parent_id for message in self.messages}


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedSession:
    """A session whose row cannot be read."""

    session_id: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewImport:
    """A session to be created from a row."""

    setup: RunConfig
    """Settings with the row's tools and system text."""
    messages: tuple[Message, ...]
    """The oldest first."""
    rejected: tuple[Message, ...] = ()
    """The answer that was not chosen, which becomes another branch."""
    answer_start: int = 0
    """Index of the message next to which the rejected answer begins."""
    format: str
    fields: Mapping[str, object] = field(hash=False)
    file: str
    number: int
    """Number of the row in the file, from 1."""
    tags: tuple[str, ...] = ()
    started_at: datetime | None = None
    """When the import of its file started, with time zone; None stands for now."""
    is_queued: bool = False
    """Whether to add it to the labelling queue, as pending."""
    original: bytes | None = None
    """The line of the file without its line feed, byte for byte; None if the row was not a line of JSON."""
