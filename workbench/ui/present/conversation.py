"""Parse the completions of a stored path and match them with their tool results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.chat.message import Role
from workbench.hermes.reading import Reading
from workbench.hermes.spelling.thoughts import THINK_OPEN
from workbench.hermes.written_out import read_message
from workbench.records.sessions import StoredMessage
from workbench.rollout.ports import ChoiceKind
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRound:
    """One completion of a path, parsed."""

    stored: StoredMessage
    """The message of the model."""
    reading: Reading
    results: Mapping[int, StoredMessage] = field(hash=False)
    """The tool's message for each call, by the index of the call in the reading."""
    turn: int
    """Index of the user message that it answers, from 0."""
    number: int
    """Number of the completion within its turn, from 1."""

    @property
    def refuses_calls(self) -> bool:
        """Whether its calls are not run, because the tool choice was `none`."""
        generation = self.stored.generation
        return generation is not None and generation.tool_choice == ChoiceKind.NONE

    def is_refused(self, index: int) -> bool:
        """Whether the call with this index was not run, because the tool choice was `none`."""
        return self.refuses_calls and index not in self.results


def read_path(path: Sequence[StoredMessage], tools: OfferedTools) -> tuple[ReadRound, ...]:
    """Parse every completion of a path, checking its calls against `tools`."""
    return tuple(_rounds(path, tools))


def _rounds(path: Sequence[StoredMessage], tools: OfferedTools) -> Iterator[ReadRound]:
    turn, number = -1, 0
    for place, stored in enumerate(path):
        if stored.message.role is Role.USER:
            turn, number = turn + 1, 0
        if stored.message.role is not Role.ASSISTANT:
            continue
        number += 1
        yield ReadRound(
            stored=stored,
            reading=_read(stored, tools),
            results=_results(path, place),
            turn=turn,
            number=number,
        )


def _read(stored: StoredMessage, tools: OfferedTools) -> Reading:
    generation = stored.generation
    if generation is None:
        return read_message(stored.message, tools=tools)
    return read_message(
        stored.message,
        tools=tools,
        finish_reason=generation.finish_reason.value,
        starts_in_thought=generation.is_exact and generation.prompt_text.endswith(THINK_OPEN),
    )


def _results(path: Sequence[StoredMessage], place: int) -> Mapping[int, StoredMessage]:
    """Return the tool messages that directly follow the completion at `place`, by call index."""
    found: dict[int, StoredMessage] = {}
    for stored in path[place + 1 :]:
        if stored.message.role is not Role.TOOL:
            break
        found[stored.tool_run.call_index if stored.tool_run else len(found)] = stored
    return found


def round_of(
    path: Sequence[StoredMessage], rounds: Sequence[ReadRound], message_id: str | None
) -> ReadRound | None:
    """Return the completion that belongs to a message.

    For a model message it is the completion itself, for a tool result the completion with the call, and for a
    user or system message the completion that follows. If the message is not on the path, or has no completion,
    the newest one is returned. None if the path has no completion.
    """
    if not rounds:
        return None
    by_id = {read_round.stored.id: read_round for read_round in rounds}
    ids = [stored.id for stored in path]
    if message_id not in ids:
        return rounds[-1]
    place = ids.index(message_id)
    stored = path[place]
    order = (
        reversed(path[: place + 1]) if stored.message.role in (Role.ASSISTANT, Role.TOOL) else path[place:]
    )
    return next((by_id[message.id] for message in order if message.id in by_id), rounds[-1])
