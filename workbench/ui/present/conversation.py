"""A stored path as turns of the model: each completion parsed, with its results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.chat.message import Role
from workbench.hermes.reading import Reading
from workbench.hermes.spelling.thoughts import THINK_OPEN
from workbench.hermes.written_out import read_message
from workbench.records.sessions import StoredMessage
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRound:
    """One completion of the path."""

    kept: StoredMessage
    """The model's message."""
    reading: Reading
    results: Mapping[int, StoredMessage] = field(hash=False)
    """The tool's message by the call's place in the reading."""
    turn: int
    """Which user's message it answers, from 0."""
    number: int
    """Its place among the completions of its turn, from 1."""


def read_path(path: Sequence[StoredMessage], tools: OfferedTools) -> tuple[ReadRound, ...]:
    """Every completion of a path, read against `tools`."""
    return tuple(_rounds(path, tools))


def _rounds(path: Sequence[StoredMessage], tools: OfferedTools) -> Iterator[ReadRound]:
    turn, number = -1, 0
    for place, kept in enumerate(path):
        if kept.message.role is Role.USER:
            turn, number = turn + 1, 0
        if kept.message.role is not Role.ASSISTANT:
            continue
        number += 1
        yield ReadRound(
            kept=kept,
            reading=_read(kept, tools),
            results=_results(path, place),
            turn=turn,
            number=number,
        )


def _read(kept: StoredMessage, tools: OfferedTools) -> Reading:
    made = kept.generation
    if made is None:
        return read_message(kept.message, tools=tools)
    return read_message(
        kept.message,
        tools=tools,
        finish_reason=made.finish_reason.value,
        starts_in_thought=made.is_exact and made.prompt_text.endswith(THINK_OPEN),
    )


def _results(path: Sequence[StoredMessage], place: int) -> Mapping[int, StoredMessage]:
    """The tool messages right behind the completion at `place`, by call."""
    found: dict[int, StoredMessage] = {}
    for kept in path[place + 1 :]:
        if kept.message.role is not Role.TOOL:
            break
        found[kept.tool_run.call_index if kept.tool_run else len(found)] = kept
    return found


def round_of(
    path: Sequence[StoredMessage], rounds: Sequence[ReadRound], message_id: str | None
) -> ReadRound | None:
    """The completion that a message is, that called for it, or that answers it; else the newest."""
    if not rounds:
        return None
    by_id = {one.kept.id: one for one in rounds}
    ids = [kept.id for kept in path]
    if message_id not in ids:
        return rounds[-1]
    place = ids.index(message_id)
    kept = path[place]
    order = reversed(path[: place + 1]) if kept.message.role in (Role.ASSISTANT, Role.TOOL) else path[place:]
    return next((by_id[one.id] for one in order if one.id in by_id), rounds[-1])
