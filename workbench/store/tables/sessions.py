"""Sessions, their messages, and how each message came to be."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, Float, ForeignKeyConstraint, Text, UniqueConstraint
from sqlmodel import Field

from workbench.store.tables.base import StoreTable, UtcDateTime


class SessionRow(StoreTable, table=True):
    """A conversation; `leaf_id` has no foreign key, since `message` already points here."""

    __tablename__: ClassVar[Any] = "session"

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable; stands in the address bar."""
    owner: str | None = Field(default=None, sa_type=Text)
    """Whose it is; None on one's own machine."""
    title: str = Field(default="", sa_type=Text)
    """The first words of the user; empty before there are any."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """When it was made."""
    updated_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """When its last message was committed or its setup changed."""
    setup: dict[str, Any] = Field(sa_type=JSON)
    """As `rows.setup_document` writes it."""
    leaf_id: str | None = Field(default=None, sa_type=Text)
    """The open leaf, a message of this session; None while there is no message."""


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
    __table_args__: ClassVar[Any] = (UniqueConstraint("session_id", "content_hash"),)

    id: int | None = Field(default=None, primary_key=True)
    """None before it is written."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id")
    """The session that it belongs to."""
    content_hash: str = Field(default="", sa_type=Text)
    """SHA-256 (hex) of completion and row: equal ones of a session are copies."""
    prompt_hash: str = Field(sa_type=Text, foreign_key="prompt.hash")
    """The text that was gone on from."""
    is_exact: bool
    """Whether the model got just that text."""
    prefill: str = Field(sa_type=Text)
    """What we wrote as the completion's beginning."""
    sampling: dict[str, Any] = Field(sa_type=JSON)
    """The fields of `Sampling`."""
    tool_choice: str = Field(sa_type=Text)
    """As it was for this round."""
    finish_reason: str = Field(sa_type=Text)
    """A `FinishReason`."""
    prompt_tokens: int
    """Length of the prompt."""
    cached_tokens: int
    """Of these, already evaluated for a former prompt."""
    completion_tokens: int
    """Length of the completion, the prefill left out."""
    time_to_first_token_s: float = Field(sa_type=Float)
    """From the request to the first token."""
    seconds: float = Field(sa_type=Float)
    """From the request to the end."""
    engine_name: str = Field(sa_type=Text)
    """As a person names it."""
    engine_fingerprint: str = Field(sa_type=Text)
    """Tells the weights."""
    tools_fingerprint: str = Field(sa_type=Text)
    """Tells the offered tools."""


class MessageRow(StoreTable, table=True):
    """A message in its session's tree; a parent is always of the same session."""

    __tablename__: ClassVar[Any] = "message"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("session_id", "id"),
        ForeignKeyConstraint(["session_id", "parent_id"], ["message.session_id", "message.id"]),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable; unique over all sessions."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id")
    """The session that it belongs to."""
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
    calls: list[dict[str, Any]] = Field(sa_type=JSON)
    """Name and arguments of each call that was given as structure, in order."""
    thought: str | None = Field(default=None, sa_type=Text)
    """Reasoning that was given apart from the text."""
    name: str | None = Field(default=None, sa_type=Text)
    """Of a tool's message: the tool's name."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """When it was committed."""
    generation_id: int | None = Field(default=None, foreign_key="generation.id")
    """Of a model's message: how it came to be."""


class ToolRunRow(StoreTable, table=True):
    """How a tool's message came to be."""

    __tablename__: ClassVar[Any] = "tool_run"

    message_id: str = Field(primary_key=True, sa_type=Text, foreign_key="message.id")
    """The tool's message."""
    call_index: int
    """Place of the call in the reading of the message above, from 0."""
    is_error: bool
    """Whether the tool failed or the call was refused."""
    milliseconds: float = Field(sa_type=Float)
    """From call to result."""
    rule: str | None = Field(default=None, sa_type=Text)
    """Which mock rule answered."""
