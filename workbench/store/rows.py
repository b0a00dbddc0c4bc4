"""Convert rows of sessions, messages and generations to values and back."""

import secrets
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple, cast

from pydantic import TypeAdapter, ValidationError

from workbench.chat.finding import Finding
from workbench.chat.message import Message, Role, ToolCall
from workbench.records.owner import Owner
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage, StoredSession, StoredToolRun
from workbench.rollout.events import Generation, Timing
from workbench.rollout.ports import EmittedToken
from workbench.rollout.sampling import Sampling
from workbench.store.damage import damage_of
from workbench.store.tables import (
    GenerationRow,
    MessageRow,
    PromptRow,
    SessionRow,
    ToolRunRow,
    UnfinishedRow,
)
from workbench.toolspec.form_faults import first_fault
from workbench.toolspec.world.patches import patch_value

_SAMPLING: Final = TypeAdapter(Sampling)
_FINDINGS: Final[TypeAdapter[tuple[Finding, ...]]] = TypeAdapter(tuple[Finding, ...])
_TOKENS: Final[TypeAdapter[tuple[EmittedToken, ...] | None]] = TypeAdapter(tuple[EmittedToken, ...] | None)
_GENERATION: Final = TypeAdapter(Generation)
_COUNTS: Final = ("prompt_tokens", "cached_tokens", "completion_tokens")
_NOT_NULL: Final = (*_COUNTS, "time_to_first_token_s")
"""Fields of `Timing` whose columns cannot be NULL: -1 is an unknown value."""
_TIMING_COLUMNS: Final = tuple(field.name for field in fields(Timing))
_GENERATION_COLUMNS: Final = tuple(
    field.name for field in fields(Generation) if field.name not in ("prompt_text", "timing")
)
_TOOL_RUN_COLUMNS: Final = tuple(field.name for field in fields(StoredToolRun))
_CALL_KEYS: Final = frozenset({"name", "arguments", "arguments_text"})


def generation_document(generation: Generation, exclude: Any = None) -> dict[str, Any]:
    """Return the JSON of a generation. Its numbers have the types of their fields."""
    return _GENERATION.dump_python(generation, mode="json", exclude=exclude)


def generation_of(document: Mapping[str, Any]) -> Generation:
    """Convert the JSON of a generation.

    Raises:
        ValueError: A key has an invalid value.
    """
    with naming_bad_key("generation"):
        return _GENERATION.validate_python(document)


def call_value(document: object) -> ToolCall:
    """Convert the JSON of a tool call.

    Raises:
        ValueError: The JSON is not a tool call.
    """
    fields: Mapping[str, Any] = cast(Mapping[str, Any], document) if isinstance(document, Mapping) else {}
    text: object = fields.get("arguments_text")
    is_call = isinstance(fields.get("name"), str) and isinstance(fields.get("arguments"), Mapping)
    if not is_call or not isinstance(text, str | None) or set(fields) - _CALL_KEYS:
        raise ValueError(f"not a call: {dict(fields)!r}"[:80])
    return ToolCall(**fields)


def findings_documents(findings: tuple[Finding, ...]) -> list[dict[str, Any]] | None:
    """Return the JSON of findings. None for an empty tuple."""
    return _FINDINGS.dump_python(findings, mode="json") or None


def findings_value(documents: Sequence[Mapping[str, Any]] | None) -> tuple[Finding, ...]:
    """Convert the JSON of findings. None stands for no findings.

    Raises:
        ValueError: A key has an invalid value.
    """
    with naming_bad_key("findings"):
        return _FINDINGS.validate_python(documents or ())


def tokens_value(documents: Sequence[Mapping[str, Any]] | None) -> tuple[EmittedToken, ...] | None:
    """Convert the JSON of a completion's tokens. None if they were not stored.

    Raises:
        ValueError: A key has an invalid value.
    """
    with naming_bad_key("tokens"):
        return _TOKENS.validate_python(documents)


def sampling_value(document: Mapping[str, Any]) -> Sampling:
    """Convert the JSON of a sampling.

    Raises:
        ValueError: A key has an invalid value.
    """
    with naming_bad_key("sampling"):
        return _SAMPLING.validate_python(document)


@contextmanager
def naming_bad_key(name: str) -> Generator[None]:
    """Turn pydantic's error into one line that names the key that cannot be read."""
    try:
        yield
    except ValidationError as error:
        place, problem = first_fault(error)
        raise ValueError(f"{name}.{place}: {problem}") from error


_SETUP: Final = TypeAdapter(RunConfig)
_SETUP_DEFAULTS: Final = {"contract_name": "", "contract_text": "", "tools_text": "[]"}


def new_id() -> str:
    """Return a random id of 128 bits, in hex digits. It never starts with a dash, which would look like an option."""
    return secrets.token_hex(16)


class MessagePosition(NamedTuple):
    """Where and when a new message is added to the tree."""

    id: str
    """Id of the new message."""
    session_id: str
    parent: MessageRow | None
    """The message above it. None for a root."""
    created_at: datetime
    """In UTC."""


class MessageParts(NamedTuple):
    """All rows of one message."""

    message: MessageRow
    generation: GenerationRow | None
    """How the completion was generated. None if no model wrote the message."""
    prompt: PromptRow | None
    """The generation's prompt. None if there is no generation."""
    tool_run: ToolRunRow | None
    """How the tool result was produced. None if the message is not a tool result."""


def setup_document(setup: RunConfig) -> dict[str, Any]:
    """Return the JSON of a setup. Equal setups have equal JSON."""
    document = _SETUP.dump_python(setup, mode="json")
    return {**document, "disabled_tools": sorted(setup.disabled_tools)}


def setup_value(document: Mapping[str, Any]) -> RunConfig:
    """Convert the JSON of a setup. Missing keys of older rows get defaults, and unknown keys are ignored.

    Raises:
        ValueError: A key has an invalid value.
    """
    if not isinstance(cast(object, document), Mapping):
        raise ValueError("setup: it is not a JSON object")
    with naming_bad_key("setup"):
        return _SETUP.validate_python({**_SETUP_DEFAULTS, **document})


def session_value(row: SessionRow, owner: Owner, *, message_count: int, tags: Sequence[str]) -> StoredSession:
    """Convert a row to a session as `owner` sees it. Only the session's own owner gets its share key.

    Raises:
        StoreError: The row is damaged.
    """
    is_own = row.owner == owner.key
    with damage_of(f"session {row.id!r}"):
        setup = setup_value(row.setup)
    return StoredSession(
        id=row.id,
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
        setup=setup,
        leaf_id=row.leaf_id,
        message_count=message_count,
        tags=tuple(tags),
        is_own=is_own,
        share_key=row.share_key if is_own else None,
        copied_from=row.copied_from,
    )


def message_row(new: NewMessage, place: MessagePosition, *, generation_id: int | None) -> MessageRow:
    """Convert a new message to a row."""
    parent_id, position = (place.parent.id, place.parent.position + 1) if place.parent else (None, 0)
    values = message_values(new, place.id, place.session_id, parent_id, position, place.created_at)
    return MessageRow(**values, generation_id=generation_id)


def message_values(
    new: NewMessage,
    message_id: str,
    session_id: str,
    parent_id: str | None,
    position: int,
    created_at: datetime,
) -> dict[str, Any]:
    """Convert a new message to the values of its columns."""
    message = new.message
    return {
        "id": message_id,
        "session_id": session_id,
        "parent_id": parent_id,
        "position": position,
        "role": message.role.value,
        "origin": new.origin.value,
        "text": message.text,
        "calls": call_documents(message.calls) if message.calls else _NO_CALLS,
        "thought": message.thought,
        "name": message.name,
        "created_at": created_at,
        "world_patch": list(new.world_patch) or None,
    }


_NO_CALLS: Final[list[dict[str, Any]]] = []
"""One object for all messages, so that a batch converts it once."""


def call_documents(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """Return the JSON of a message's structured calls."""
    return [_call_document(call) for call in calls]


def _call_document(call: ToolCall) -> dict[str, Any]:
    """Return the JSON of a call. It has `arguments_text` only if the arguments were not a JSON object."""
    document: dict[str, Any] = {"name": call.name, "arguments": call.arguments}
    return document if call.arguments_text is None else {**document, "arguments_text": call.arguments_text}


def prompt_row(text: str) -> PromptRow:
    """Convert a prompt to a row with the hash of its text."""
    return PromptRow(hash=sha256(text.encode()).hexdigest(), text=text)


def generation_row(generation: Generation, session_id: str) -> GenerationRow:
    """Convert a generation to a row. Its prompt is stored in another row."""
    document = generation_document(generation, exclude={"tokens": {"__all__": {"likely"}}})
    prompt_hash, timing = prompt_row(document.pop("prompt_text")).hash, document.pop("timing")
    unknown = {name: -1 for name in _NOT_NULL if timing[name] is None}
    empty = {name: None for name in ("ephemeral", "findings") if not document[name]}
    columns: dict[str, Any] = {**document, **empty, **timing, **unknown}
    return GenerationRow(session_id=session_id, prompt_hash=prompt_hash, **columns)


def unfinished_row(
    text: str, generation: Generation, place: MessagePosition, *, writer: str
) -> UnfinishedRow:
    """Convert the text so far of a message that is being generated to a row."""
    return UnfinishedRow(
        id=place.id,
        session_id=place.session_id,
        parent_id=place.parent.id if place.parent else None,
        text=text,
        generation=generation_document(generation),
        writer=writer,
        updated_at=place.created_at,
    )


def unfinished_value(row: UnfinishedRow) -> NewMessage:
    """Convert an unfinished row to a message with the text so far.

    Raises:
        ValueError: A key of its generation has an invalid value.
    """
    generation = generation_of(row.generation)
    message = Message(role=Role.ASSISTANT, text=row.text)
    return NewMessage(message=message, origin=MessageOrigin.MODEL, generation=generation)


def tool_run_row(run: StoredToolRun, message_id: str) -> ToolRunRow:
    """Convert a tool run to a row."""
    columns: dict[str, Any] = {name: getattr(run, name) for name in _TOOL_RUN_COLUMNS}
    columns["findings"] = findings_documents(run.findings)
    return ToolRunRow(message_id=message_id, **columns)


def message_value(parts: MessageParts) -> StoredMessage:
    """Convert the rows of a message.

    Raises:
        StoreError: One of the rows is damaged.
    """
    row = parts.message
    with damage_of(f"message {row.id!r} of session {row.session_id!r}"):
        message = Message(
            role=Role(row.role),
            text=row.text,
            calls=tuple(map(call_value, row.calls)),
            thought=row.thought,
            name=row.name,
        )
        return StoredMessage(
            id=row.id,
            parent_id=row.parent_id,
            message=message,
            origin=MessageOrigin(row.origin),
            created_at=row.created_at,
            generation=_generation_value(parts.generation, parts.prompt),
            tool_run=_tool_run_value(parts.tool_run),
            copy_of=row.copy_of,
            world_patch=patch_value(row.world_patch),
        )


def _generation_value(row: GenerationRow | None, prompt: PromptRow | None) -> Generation | None:
    if row is None or prompt is None:
        return None
    # Until release 0.3, a prompt of unknown length had 0 tokens, and the other counts were guesses.
    guessed = _COUNTS if row.prompt_tokens == 0 else ()
    timing = {
        name: value for name, value in _columns(row, _TIMING_COLUMNS) if value != -1 and name not in guessed
    }
    document = {**dict(_columns(row, _GENERATION_COLUMNS)), "prompt_text": prompt.text, "timing": timing}
    return generation_of(document)


def _columns(row: GenerationRow, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield the columns that have a value; the others have the defaults of their fields."""
    return ((name, value) for name in names if (value := getattr(row, name)) is not None)


def _tool_run_value(row: ToolRunRow | None) -> StoredToolRun | None:
    if row is None:
        return None
    columns: dict[str, Any] = {name: getattr(row, name) for name in _TOOL_RUN_COLUMNS}
    columns["findings"] = findings_value(row.findings)
    return StoredToolRun(**columns)
