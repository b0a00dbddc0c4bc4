"""Rows to values and back."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from workbench.chat.message import Message, Role, ToolCall
from workbench.desk.kept import KeptMessage, KeptSession, KeptToolRun, NewMessage, Origin
from workbench.desk.setup import Setup
from workbench.rollout.events import Generation, Timing
from workbench.rollout.ports import FinishReason, Sampling
from workbench.store.tables import GenerationRow, MessageRow, PromptRow, SessionRow, ToolRunRow
from workbench.toolspec.canonical import canonical_json

TITLE_SIZE_CHARS: Final = 60
"""A longer first line of a user is cut to this length."""

_SETUP: Final = TypeAdapter(Setup)
_SAMPLING: Final = TypeAdapter(Sampling)
_SETUP_DEFAULTS: Final = {"contract_name": "", "contract_text": "", "tools_text": "[]"}


class Place(NamedTuple):
    """Where and when a message comes into the tree."""

    id: str
    """The new message's own."""
    session_id: str
    """The session it comes into."""
    parent: MessageRow | None
    """The message before it; None makes a root."""
    created_at: datetime
    """Now, UTC."""


class MessageParts(NamedTuple):
    """All rows that make one message."""

    message: MessageRow
    """The message itself."""
    generation: GenerationRow | None
    """How the completion came to be; None where it is none."""
    prompt: PromptRow | None
    """Of the generation; None where there is none."""
    tool_run: ToolRunRow | None
    """How the result came to be; None where it is none."""


def setup_document(setup: Setup) -> dict[str, Any]:
    """The JSON of a setup; equal setups give equal JSON."""
    document = _SETUP.dump_python(setup, mode="json")
    return {**document, "disabled_tools": sorted(setup.disabled_tools)}


def setup_value(document: Mapping[str, Any]) -> Setup:
    """The setup of a row; what an older row lacks is as the defaults say, what is unknown is left out.

    Raises:
        ValueError: A key has a value that it cannot have.
    """
    with _place_told("setup"):
        return _SETUP.validate_python({**_SETUP_DEFAULTS, **document})


def session_value(row: SessionRow, message_count: int) -> KeptSession:
    """The session as the other floors know it."""
    return KeptSession(
        id=row.id,
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
        setup=setup_value(row.setup),
        leaf_id=row.leaf_id,
        message_count=message_count,
    )


def title_of(text: str) -> str:
    """A title out of a user's text: one line, cut where it is long.

    >>> title_of("  What is\\nthe time? ")
    'What is the time?'
    """
    line = " ".join(text.split())
    return line if len(line) <= TITLE_SIZE_CHARS else line[: TITLE_SIZE_CHARS - 1].rstrip() + "…"


def message_row(new: NewMessage, place: Place, *, generation_id: int | None) -> MessageRow:
    """The row of a new message."""
    message = new.message
    return MessageRow(
        id=place.id,
        session_id=place.session_id,
        parent_id=place.parent.id if place.parent else None,
        position=place.parent.position + 1 if place.parent else 0,
        role=message.role.value,
        origin=new.origin.value,
        text=message.text,
        calls=[{"name": call.name, "arguments": call.arguments} for call in message.calls],
        thought=message.thought,
        name=message.name,
        created_at=place.created_at,
        generation_id=generation_id,
    )


def prompt_row(text: str) -> PromptRow:
    """The row of a prompt, under its text's hash."""
    return PromptRow(hash=sha256(text.encode()).hexdigest(), text=text)


def generation_row(generation: Generation, session_id: str, completion: str) -> GenerationRow:
    """The row of a generation, with the hash that tells its copies; its prompt is another row."""
    timing = generation.timing
    row = GenerationRow(
        session_id=session_id,
        prompt_hash=prompt_row(generation.prompt_text).hash,
        is_exact=generation.is_exact,
        prefill=generation.prefill,
        sampling=asdict(_sampling_value(asdict(generation.sampling))),
        tool_choice=generation.tool_choice,
        finish_reason=generation.finish_reason.value,
        prompt_tokens=timing.prompt_tokens,
        cached_tokens=timing.cached_tokens,
        completion_tokens=timing.completion_tokens,
        time_to_first_token_s=float(timing.time_to_first_token_s),
        seconds=float(timing.seconds),
        engine_name=generation.engine_name,
        engine_fingerprint=generation.engine_fingerprint,
        tools_fingerprint=generation.tools_fingerprint,
    )
    content = {**row.model_dump(exclude={"id", "content_hash"}), "completion": completion}
    row.content_hash = sha256(canonical_json(content).encode()).hexdigest()
    return row


def tool_run_row(run: KeptToolRun, message_id: str) -> ToolRunRow:
    """The row of a tool's run."""
    return ToolRunRow(message_id=message_id, **asdict(run))


def message_value(parts: MessageParts) -> KeptMessage:
    """The message as the other floors know it."""
    row = parts.message
    message = Message(
        role=Role(row.role),
        text=row.text,
        calls=tuple(ToolCall(name=call["name"], arguments=call["arguments"]) for call in row.calls),
        thought=row.thought,
        name=row.name,
    )
    return KeptMessage(
        id=row.id,
        parent_id=row.parent_id,
        message=message,
        origin=Origin(row.origin),
        created_at=row.created_at,
        generation=_generation_value(parts.generation, parts.prompt),
        tool_run=_tool_run_value(parts.tool_run),
    )


def _generation_value(row: GenerationRow | None, prompt: PromptRow | None) -> Generation | None:
    if row is None or prompt is None:
        return None
    timing = Timing(
        prompt_tokens=row.prompt_tokens,
        cached_tokens=row.cached_tokens,
        completion_tokens=row.completion_tokens,
        time_to_first_token_s=row.time_to_first_token_s,
        seconds=row.seconds,
    )
    return Generation(
        prompt_text=prompt.text,
        is_exact=row.is_exact,
        prefill=row.prefill,
        sampling=_sampling_value(row.sampling),
        tool_choice=row.tool_choice,
        finish_reason=FinishReason(row.finish_reason),
        timing=timing,
        engine_name=row.engine_name,
        engine_fingerprint=row.engine_fingerprint,
        tools_fingerprint=row.tools_fingerprint,
    )


def _sampling_value(document: Mapping[str, Any]) -> Sampling:
    with _place_told("sampling"):
        return _SAMPLING.validate_python(document)


@contextmanager
def _place_told(name: str) -> Generator[None]:
    """Says in one line which key of a row's JSON cannot be read."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise ValueError(f"{name}.{place}: {first['msg']}") from error


def _tool_run_value(row: ToolRunRow | None) -> KeptToolRun | None:
    if row is None:
        return None
    return KeptToolRun(
        call_index=row.call_index, is_error=row.is_error, milliseconds=row.milliseconds, rule=row.rule
    )
