"""Sessions, imported rows, messages and their generations, tool runs, facts, search words and memories."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final

from sqlalchemy import BigInteger, Float, ForeignKeyConstraint, Index, LargeBinary, Text, UniqueConstraint
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime

SHUFFLE_LIMIT: Final = 2**31 - 1
"""Upper limit of `SessionRow.shuffle`. It is a prime number, so a multiplication modulo it is a permutation."""


def queue_place(moment: datetime, number: int = 0) -> int:
    """Return the place of a session in the labelling queue, whose default order is ascending.

    The newest session comes first. The rows of a file keep their order, however many transactions their import takes.

    Args:
        moment: When the session was created, or when the import of its file started.
        number: Number of the row in its file, from 1. 0 for a session that was not imported.

    >>> start = datetime(2026, 1, 1, tzinfo=UTC)
    >>> queue_place(start + timedelta(seconds=1)) < queue_place(start, 1) < queue_place(start, 2)
    True
    """
    return number - (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


class ImportRow(StoreTable, table=True):
    """The dataset row that a session was imported from. Deleted with the session."""

    __tablename__: ClassVar[Any] = "imported_row"
    __table_args__: ClassVar[Any] = (
        Index(None, "scope", "digest"),
        Index(None, "scope", "row_id"),
        Index(None, "scope", "file"),
        Index(None, "scope", "format"),
    )

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE")
    scope: str = Field(sa_type=Text)
    """The owner's key. Empty without logins."""
    digest: str = Field(sa_type=Text)
    """SHA-256 (hex) of the row's canonical JSON."""
    format: str = Field(sa_type=Text)
    file: str = Field(sa_type=Text)
    number: int
    """Number of the row in its file, from 1."""
    row_text: str = Field(sa_type=Text)
    """The row as JSON, with NUL and lone surrogates escaped. Empty if `original` has it."""
    original: bytes | None = Field(default=None, sa_type=LargeBinary)
    """The line of the file without its line feed, compressed with zlib. None if the row was not a line of JSON."""
    message_ids: list[str] = Field(sa_type=StoredJson(list))
    """Ids of the session's messages, one for each message of the row."""
    rejected_ids: list[str] = Field(sa_type=StoredJson(list))
    """Ids of the messages of the rejected answer."""
    row_id: str | None = Field(default=None, sa_type=Text)
    """The row's own id, as `workbench.records.corpus.material.row_id_of` finds it. None if it has none."""


class RecordedSessionRow(StoreTable, table=True):
    """A session that was recorded from the requests of a client. Deleted with the session."""

    __tablename__: ClassVar[Any] = "recorded_session"
    __table_args__: ClassVar[Any] = (Index(None, "scope", "tag", "name"),)

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE")
    scope: str = Field(sa_type=Text)
    """The owner's key. Empty without logins."""
    tag: str = Field(sa_type=Text)
    """The tag that recorded sessions had when it was recorded. Empty if they had none."""
    name: str = Field(sa_type=Text)
    """The client's name for the session. Empty if it gave none."""
    model: str | None = Field(default=None, sa_type=Text)
    """The model that its requests ask. None if the row is older than this column and its setup is damaged."""
    contract: str | None = Field(default=None, sa_type=Text)
    """Name of the contract of its requests. None as for `model`."""
    client: str = Field(sa_type=Text)
    """Name of the client of the last request. Empty if it gave none."""
    recorded_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """When the last answer was recorded."""


class RecordedMessageRow(StoreTable, table=True):
    """By which hashes a recorded message is found when the client sends it again. Deleted with the message."""

    __tablename__: ClassVar[Any] = "recorded_message"

    message_id: str = Field(primary_key=True, sa_type=Text, foreign_key="message.id", ondelete="CASCADE")
    session_id: str = Field(sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True)
    path_hash: str = Field(sa_type=Text, index=True)
    """Hash of the conversation up to the message, as `workbench.records.exchanges` makes it."""
    system_hash: str = Field(sa_type=Text)
    """Hash of the system messages above it, without times and dates."""
    kept_hash: str | None = Field(default=None, sa_type=Text, index=True)
    """For an answer: hash of it and the message before it. For the summary of a compacted conversation: its hash. None
    for other messages, and if the row is older than this column."""


class DeletedMessageRow(StoreTable, table=True):
    """Marks a message as deleted. The row is removed with the message."""

    __tablename__: ClassVar[Any] = "deleted_message"

    message_id: str = Field(primary_key=True, sa_type=Text, foreign_key="message.id", ondelete="CASCADE")
    session_id: str = Field(sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True)
    root_id: str = Field(sa_type=Text)
    """The message whose deletion hid this one: the message itself, or one above it."""
    deleted_at: datetime = Field(sa_type=UtcDateTime)


class SessionRow(StoreTable, table=True):
    """A session. `leaf_id` has no foreign key, because `message` already refers to this table."""

    __tablename__: ClassVar[Any] = "session"
    __table_args__: ClassVar[Any] = (
        Index(None, "owner", "updated_at"),
        Index(None, "owner", "created_at"),
        Index(None, "owner", "queue_place"),
        Index(None, "owner", "finding_count", "created_at"),
        Index(None, "owner", "confidence", "created_at"),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """A random id, which appears in the page's address."""
    owner: str | None = Field(default=None, sa_type=Text)
    """The owner's key. None without logins."""
    title: str = Field(default="", sa_type=Text)
    """The given title, or the first words of the user. Empty until the user has written something."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """When the last message was stored or the setup changed."""
    setup: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The setup as `rows.setup_document` returns it."""
    leaf_id: str | None = Field(default=None, sa_type=Text)
    """The open leaf. None while the session has no messages."""
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    """None if the session is not deleted."""
    share_key: str | None = Field(default=None, sa_type=Text, unique=True, index=True)
    """Lets anybody who knows it read the session. None if it is not shared."""
    copied_from: str | None = Field(default=None, sa_type=Text)
    """The session that this one was copied from. It may have been purged."""
    contract_version: str | None = Field(default=None, sa_type=Text, index=True)
    """Hash of the setup's contract, which is a `VersionTextRow` of the owner."""
    tools_version: str | None = Field(default=None, sa_type=Text)
    """Hash of the setup's tools, which are a `VersionTextRow` of the owner."""
    finding_count: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Number of findings, fixes and dropped blocks in its messages, for ordering the labelling queue."""
    confidence: float = Field(default=1.0, sa_type=Float, sa_column_kwargs={"server_default": "1"})
    """The lowest mean log probability of the tokens of a completion. 1 if there are no log probabilities, so that
    such a session comes after all others: a log probability is never positive."""
    shuffle: int = Field(
        default_factory=lambda: secrets.randbelow(SHUFFLE_LIMIT), sa_column_kwargs={"server_default": "0"}
    )
    """A random number from which a random order of the labelling queue is computed."""
    queue_place: int = Field(sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """As the function `queue_place` returns it."""


class SessionToolRow(StoreTable, table=True):
    """A tool that a message of the session calls, in any branch."""

    __tablename__: ClassVar[Any] = "session_tool"

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE")
    tool: str = Field(primary_key=True, sa_type=Text, index=True)


class SessionTagRow(StoreTable, table=True):
    """A tag of a session."""

    __tablename__: ClassVar[Any] = "session_tag"

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id")
    tag: str = Field(primary_key=True, sa_type=Text, index=True)
    position: int
    """Position among the session's tags, from 0."""


class PromptRow(StoreTable, table=True):
    """The text of a prompt. It is stored once, even if several generations used it."""

    __tablename__: ClassVar[Any] = "prompt"

    hash: str = Field(primary_key=True, sa_type=Text)
    """SHA-256 (hex) of the text in UTF-8."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""


class GenerationRow(StoreTable, table=True):
    """How a completion was generated. Copies of its message on other branches refer to the same row."""

    __tablename__: ClassVar[Any] = "generation"

    id: int | None = Field(default=None, primary_key=True)
    """None before the row is written."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id", index=True)
    prompt_hash: str = Field(sa_type=Text, foreign_key="prompt.hash", index=True)
    is_exact: bool
    """Whether the model got exactly the prompt's text. False if a chat server rendered its own."""
    prefill: str = Field(sa_type=Text)
    """The beginning of the completion that the workbench wrote."""
    sampling: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The fields of `Sampling`."""
    tool_choice: str = Field(sa_type=Text)
    """The tool choice of this completion."""
    finish_reason: str = Field(sa_type=Text)
    """A `FinishReason`."""
    prompt_tokens: int
    """-1 if it is not known, as in the next three columns: SQLite would copy the table to allow NULL here."""
    cached_tokens: int
    """The prompt tokens that came from the prefix cache."""
    completion_tokens: int
    """Length of the completion without the prefill."""
    time_to_first_token_s: float = Field(sa_type=Float)
    """Seconds from the request to the first token."""
    seconds: float = Field(sa_type=Float)
    """Seconds from the request to the end."""
    engine_name: str = Field(sa_type=Text)
    engine_fingerprint: str = Field(sa_type=Text)
    tools_fingerprint: str = Field(sa_type=Text)
    contract_fingerprint: str | None = Field(default=None, sa_type=Text, index=True)
    """None if there was no contract, or if the row is older than this column."""
    evaluated_tokens: int | None = Field(default=None)
    """The prompt tokens that were evaluated. None if the engine did not report it."""
    ephemeral: str | None = Field(default=None, sa_type=Text)
    """The ephemeral system text in the prompt, which is never exported. None if there was none."""
    tokens: list[dict[str, Any]] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """The fields of each `EmittedToken`. None if tokens were not requested or not reported."""
    findings: list[dict[str, Any]] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """The fields of each `Finding` that is not part of the reading. None for no findings."""
    contract_version: str | None = Field(default=None, sa_type=Text, index=True)
    """Hash of the contract that was used. None if the row is older than this column."""
    tools_version: str | None = Field(default=None, sa_type=Text)
    """Hash of the tools that were offered. None if the row is older than this column."""


class MessageRow(StoreTable, table=True):
    """A message in its session's tree. Its parent belongs to the same session."""

    __tablename__: ClassVar[Any] = "message"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("session_id", "id"),
        ForeignKeyConstraint(["session_id", "parent_id"], ["message.session_id", "message.id"]),
        ForeignKeyConstraint(["session_id", "copy_of"], ["message.session_id", "message.id"]),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """A random id, unique over all sessions."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id")
    parent_id: str | None = Field(default=None, sa_type=Text)
    """The message above it. None for a root."""
    position: int
    """Number of messages above it. 0 for a root."""
    role: str = Field(sa_type=Text)
    """A `Role`."""
    origin: str = Field(sa_type=Text)
    """A `MessageOrigin`."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""
    calls: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """Name, arguments and arguments text of each structured call. Calls in the text are not included."""
    thought: str | None = Field(default=None, sa_type=Text)
    """Reasoning that a server sent separately from the text."""
    name: str | None = Field(default=None, sa_type=Text)
    """Name of the tool, for a tool result."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    generation_id: int | None = Field(default=None, foreign_key="generation.id", index=True)
    """The generation of a model's message. None for other messages."""
    copy_of: str | None = Field(default=None, sa_type=Text)
    """For a copy on another branch: the original message, which is not a copy itself."""
    world_patch: list[dict[str, Any]] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """JSON Patch of what changed in the world of the session. None if nothing changed."""


class UnfinishedRow(StoreTable, table=True):
    """The text so far of a message that is being generated. Deleted when the message is stored."""

    __tablename__: ClassVar[Any] = "unfinished"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(["session_id", "parent_id"], ["message.session_id", "message.id"]),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """A random id."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id")
    parent_id: str | None = Field(default=None, sa_type=Text)
    """The message above it. None for a root."""
    text: str = Field(sa_type=Text)
    """All of the text so far, byte for byte."""
    generation: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The fields of `Generation`, including the prompt's text."""
    writer: str = Field(sa_type=Text)
    """The process that writes it, as `workbench.store.sessions.unfinished.this_writer` names it."""
    updated_at: datetime = Field(sa_type=UtcDateTime)
    """When the text was last written."""


class ToolRunRow(StoreTable, table=True):
    """How a tool result was produced."""

    __tablename__: ClassVar[Any] = "tool_run"

    message_id: str = Field(primary_key=True, sa_type=Text, foreign_key="message.id")
    call_index: int
    """Index of the call in the reading of the calling message, from 0."""
    is_error: bool
    """Whether the tool failed or the call was refused."""
    milliseconds: float = Field(sa_type=Float)
    """Time from the call to the result."""
    rule: str | None = Field(default=None, sa_type=Text)
    """The mock rule that answered."""
    arguments_text: str | None = Field(default=None, sa_type=Text)
    """The body of the call as the model wrote it. None if the row is older than this column."""
    arguments: dict[str, Any] | None = Field(default=None, sa_type=StoredJson(dict, is_nullable=True))
    """The arguments that the tool got, after fixes and coercions. None if the row is older than this column."""
    findings: list[dict[str, Any]] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """The fields of each `Finding` of the run. None for no findings."""


class NoteRow(StoreTable, table=True):
    """One note of the tool `memory`."""

    __tablename__: ClassVar[Any] = "note"

    scope: str = Field(primary_key=True, sa_type=Text)
    """The owner's key. Empty without logins."""
    position: int = Field(primary_key=True)
    """From 0, oldest first."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""


class DocumentRow(StoreTable, table=True):
    """A searchable piece of a message, or a session's title and tags.

    Its words are in `search_words`. The database deletes them with this row.
    """

    __tablename__: ClassVar[Any] = "search_document"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(["session_id"], ["session.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
        ),
        Index("ix_search_document_message_id", "message_id"),
        Index("ix_search_document_session_id_message_id", "session_id", "message_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Also the number of its row in `search_words`. Later documents have higher numbers. None before it is written."""
    session_id: str = Field(sa_type=Text)
    message_id: str | None = Field(default=None, sa_type=Text)
    """None for a title and tags."""
    span_start: int
    """Start of the piece in the message's text, in code points."""


class FactRow(StoreTable, table=True):
    """A fix, a finding or a dropped block of a message. Deleted with the message."""

    __tablename__: ClassVar[Any] = "fact"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(
            ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
        ),
        Index("ix_fact_session_id_kind_code", "session_id", "kind", "code"),
        Index("ix_fact_message_id", "message_id"),
        Index("ix_fact_code", "code"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Rises with the position in the message, for each kind. None before the row is written."""
    session_id: str = Field(sa_type=Text)
    message_id: str = Field(sa_type=Text)
    kind: str = Field(sa_type=Text)
    """A `FactKind`."""
    code: str = Field(sa_type=Text)
    """A code of `docs/reference/codes.md`. For a dropped block: the code of its first error, or else `dropped`."""
    severity: str | None = Field(default=None, sa_type=Text)
    """The `Severity` of a finding. None for fixes and dropped blocks."""
    is_guess: bool
    """For a fix: whether the text could also mean something else."""
    span_start: int | None = Field(default=None)
    """Start in the message, in code points. None if the fact has no position."""
    span_end: int | None = Field(default=None)
    """End in the message, exclusive. None if the fact has no position."""
    note: str = Field(sa_type=Text)
    """The message of a finding. Empty for other facts."""
    edits: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """`span`, `before` and `after` of each edit of a fix. Empty for other facts."""
