"""Sessions, imported rows, messages and their generations, tool runs, facts, search words and memories."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Float, ForeignKeyConstraint, Index, Text, UniqueConstraint
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime


class ImportRow(StoreTable, table=True):
    """The row of a data set that a session was made of; it goes with the session."""

    __tablename__: ClassVar[Any] = "imported_row"
    __table_args__: ClassVar[Any] = (Index(None, "scope", "digest"),)

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE")
    scope: str = Field(sa_type=Text)
    """Whose it is, as `workbench.store.owner_scope` writes it."""
    digest: str = Field(sa_type=Text)
    """SHA-256 (hex) of the row's canonical JSON."""
    format: str = Field(sa_type=Text)
    file: str = Field(sa_type=Text)
    number: int
    """Its place there, from 1."""
    row_text: str = Field(sa_type=Text)
    """The row as JSON; NUL and half surrogate pairs are escaped in it."""
    message_ids: list[str] = Field(sa_type=StoredJson(list))
    """A message of the session for each of the row's."""
    rejected_ids: list[str] = Field(sa_type=StoredJson(list))
    """The same for the answer that was not chosen."""


class DeletedMessageRow(StoreTable, table=True):
    """A message that is shown no more; it goes with its message."""

    __tablename__: ClassVar[Any] = "deleted_message"

    message_id: str = Field(primary_key=True, sa_type=Text, foreign_key="message.id", ondelete="CASCADE")
    session_id: str = Field(sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True)
    root_id: str = Field(sa_type=Text)
    """The message that was deleted with all that followed it: itself, or one above it."""
    deleted_at: datetime = Field(sa_type=UtcDateTime)


class SessionRow(StoreTable, table=True):
    """A conversation; `leaf_id` has no foreign key, since `message` already points here."""

    __tablename__: ClassVar[Any] = "session"
    __table_args__: ClassVar[Any] = (
        Index(None, "owner", "updated_at"),
        Index(None, "owner", "created_at"),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable; stands in the address bar."""
    owner: str | None = Field(default=None, sa_type=Text)
    """Whose it is; None on one's own machine."""
    title: str = Field(default="", sa_type=Text)
    """As it was named, or the first words of the user; empty before there are any."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """When it was made."""
    updated_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """When its last message was committed or its setup changed."""
    setup: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """As `rows.setup_document` writes it."""
    leaf_id: str | None = Field(default=None, sa_type=Text)
    """The open leaf, a message of this session; None while there is no message."""
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    """When it was deleted; None where it was not."""
    share_key: str | None = Field(default=None, sa_type=Text, unique=True, index=True)
    """Shows it to whoever has it; None while it is not shared."""
    copied_from: str | None = Field(default=None, sa_type=Text)
    """The session that it was copied from, which may be purged by now."""
    contract_version: str | None = Field(default=None, sa_type=Text, index=True)
    """Hash of the setup's contract text, a `VersionTextRow` of the owner's."""
    tools_version: str | None = Field(default=None, sa_type=Text)
    """Hash of the setup's tools' text, a `VersionTextRow` of the owner's."""


class SessionTagRow(StoreTable, table=True):
    """A tag of a session."""

    __tablename__: ClassVar[Any] = "session_tag"

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id")
    tag: str = Field(primary_key=True, sa_type=Text, index=True)
    position: int
    """Its place among the session's tags, from 0."""


class PromptRow(StoreTable, table=True):
    """The text of a prompt, once, however many generations went on from it."""

    __tablename__: ClassVar[Any] = "prompt"

    hash: str = Field(primary_key=True, sa_type=Text)
    """SHA-256 (hex) of the text in UTF-8."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""


class GenerationRow(StoreTable, table=True):
    """How a completion came to be; copies of its message on other branches point at the same row."""

    __tablename__: ClassVar[Any] = "generation"

    id: int | None = Field(default=None, primary_key=True)
    """None before it is written."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id", index=True)
    prompt_hash: str = Field(sa_type=Text, foreign_key="prompt.hash", index=True)
    """The text that was gone on from."""
    is_exact: bool
    """Whether the model got just that text."""
    prefill: str = Field(sa_type=Text)
    """What we wrote as the completion's beginning."""
    sampling: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The fields of `Sampling`."""
    tool_choice: str = Field(sa_type=Text)
    """As it was for this round."""
    finish_reason: str = Field(sa_type=Text)
    """A `FinishReason`."""
    prompt_tokens: int
    cached_tokens: int
    """Of these, already evaluated for a former prompt."""
    completion_tokens: int
    """Length of the completion, the prefill left out."""
    time_to_first_token_s: float = Field(sa_type=Float)
    """From the request to the first token."""
    seconds: float = Field(sa_type=Float)
    """From the request to the end."""
    engine_name: str = Field(sa_type=Text)
    engine_fingerprint: str = Field(sa_type=Text)
    tools_fingerprint: str = Field(sa_type=Text)
    contract_fingerprint: str | None = Field(default=None, sa_type=Text, index=True)
    """Tells the contract; None where there was none, or of what was written before it was noted."""
    evaluated_tokens: int | None = Field(default=None)
    """Of the prompt, evaluated for it; None where the engine did not say."""
    ephemeral: str | None = Field(default=None, sa_type=Text)
    """The part of the prompt that is never exported; None where there was none."""
    tokens: list[dict[str, Any]] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """The fields of each `EmittedToken`; None where it was not asked for or told."""
    findings: list[dict[str, Any]] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """The fields of each `Finding` beside the reading's; None where nothing was told."""
    contract_version: str | None = Field(default=None, sa_type=Text, index=True)
    """The session's when it was made; None where it was made before versions were kept."""
    tools_version: str | None = Field(default=None, sa_type=Text)
    """The session's when it was made; None where it was made before versions were kept."""


class MessageRow(StoreTable, table=True):
    """A message in its session's tree; a parent is always of the same session."""

    __tablename__: ClassVar[Any] = "message"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("session_id", "id"),
        ForeignKeyConstraint(["session_id", "parent_id"], ["message.session_id", "message.id"]),
        ForeignKeyConstraint(["session_id", "copy_of"], ["message.session_id", "message.id"]),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable; unique over all sessions."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id")
    parent_id: str | None = Field(default=None, sa_type=Text)
    """The message before it; None for a root."""
    position: int
    """Messages above it on its path; 0 for a root."""
    role: str = Field(sa_type=Text)
    """A `Role`."""
    origin: str = Field(sa_type=Text)
    """An `Origin`."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""
    calls: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """Name, arguments and their text of each call that was given as structure, in order."""
    thought: str | None = Field(default=None, sa_type=Text)
    """Reasoning that was given apart from the text."""
    name: str | None = Field(default=None, sa_type=Text)
    """Of a tool's message: the tool's name."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """When it was committed."""
    generation_id: int | None = Field(default=None, foreign_key="generation.id", index=True)
    """Of a model's message: how it came to be."""
    copy_of: str | None = Field(default=None, sa_type=Text)
    """Of a copy on another branch: the message, no copy itself, whose generation it shares."""


class UnfinishedRow(StoreTable, table=True):
    """What is written so far of a message that is to come; gone when it has."""

    __tablename__: ClassVar[Any] = "unfinished"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(["session_id", "parent_id"], ["message.session_id", "message.id"]),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id")
    """The session that it will belong to."""
    parent_id: str | None = Field(default=None, sa_type=Text)
    """The message before it; None for a root."""
    text: str = Field(sa_type=Text)
    """So far, byte for byte."""
    generation: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The fields of `Generation`, the prompt's text among them."""
    writer: str = Field(sa_type=Text)
    """The process that writes it, as `workbench.store.unfinished` names one."""
    updated_at: datetime = Field(sa_type=UtcDateTime)
    """When the text was last written."""


class ToolRunRow(StoreTable, table=True):
    """How a tool's message came to be."""

    __tablename__: ClassVar[Any] = "tool_run"

    message_id: str = Field(primary_key=True, sa_type=Text, foreign_key="message.id")
    call_index: int
    """Place of the call in the reading of the message above, from 0."""
    is_error: bool
    """Whether the tool failed or the call was refused."""
    milliseconds: float = Field(sa_type=Float)
    """From call to result."""
    rule: str | None = Field(default=None, sa_type=Text)
    """Which mock rule answered."""
    arguments_text: str | None = Field(default=None, sa_type=Text)
    """The call's body as the model wrote it; None of what was written before it was noted."""
    arguments: dict[str, Any] | None = Field(default=None, sa_type=StoredJson(dict, is_nullable=True))
    """What the tool was given, after fixes and coercions; None as above."""
    findings: list[dict[str, Any]] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """The fields of each `Finding` of the run; None where nothing was told."""


class NoteRow(StoreTable, table=True):
    """One note of the tool `memory`."""

    __tablename__: ClassVar[Any] = "note"

    scope: str = Field(primary_key=True, sa_type=Text)
    """Whose it is, as `workbench.store.owner_scope` writes it."""
    position: int = Field(primary_key=True)
    """From 0, the oldest first."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""


class DocumentRow(StoreTable, table=True):
    """A piece of a message, or a session's title and tags; its words go with it, by trigger or foreign key."""

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
    """None before it is written; number of its row in `search_words`; a later one is higher."""
    session_id: str = Field(sa_type=Text)
    message_id: str | None = Field(default=None, sa_type=Text)
    """The message; None of a title and tags."""
    span_start: int
    """Where the piece begins in the message's text, in code points."""


class FactRow(StoreTable, table=True):
    """A fix, a finding or a dropped block of a message; gone with it."""

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
    """None before it is written; in order of place within a message and kind."""
    session_id: str = Field(sa_type=Text)
    message_id: str = Field(sa_type=Text)
    kind: str = Field(sa_type=Text)
    """A `FactKind`."""
    code: str = Field(sa_type=Text)
    """Stable word from the table of codes; of a drop the first error of its block, else `dropped`."""
    severity: str | None = Field(default=None, sa_type=Text)
    """Of a finding, a `Severity`; else None."""
    is_guess: bool
    """Of a fix: whether another meaning is possible."""
    span_start: int | None = Field(default=None)
    """First code point in the message; None where it has no place."""
    span_end: int | None = Field(default=None)
    """Behind the last code point; None as above."""
    note: str = Field(sa_type=Text)
    """Of a finding: what it says; else empty."""
    edits: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """Of a fix: `span`, `before` and `after` of each edit; else empty."""
