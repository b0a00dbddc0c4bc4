"""A conversation of a training row, independent of the row's format."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import spelled_json
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """Text for a person, or of one."""

    text: str
    """Byte for byte; beside calls and thoughts without the white space that parts it from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """Reasoning."""

    text: str
    """Without tags, and without the line breaks behind the first and before the second; never empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool."""

    name: str
    arguments: JsonObject = field(hash=False)
    """By parameter name, in the order written."""
    arguments_text: str | None = field(default=None, compare=False)
    """A text of JSON that says the same, byte for byte as it came; None where there is none."""
    id: str | None = None
    """What ties its result to it; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a tool gave back."""

    text: str
    """Byte for byte, without wrapper."""
    id: str | None = None
    """Of the call that it answers; None where there is none."""
    name: str | None = None
    """The tool's; None where it is not known."""


Part = Prose | Thought | Call | Result


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMessage:
    """One party's message."""

    role: Role
    parts: tuple[Part, ...]
    """In order. Of system and user at most one prose; of a tool one result; of the model any but results."""
    text: str | None = field(default=None, compare=False)
    """All of it as Hermes spells it, where the row had it so: text formats write these very bytes."""
    is_trained: bool | None = None
    """Whether the loss counts it; None where the format decides."""
    place: int = field(default=-1, compare=False)
    """Of the entry that it comes from, from 0; -1 where it comes from none."""

    @property
    def calls(self) -> tuple[Call, ...]:
        """Its calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, Call))

    @property
    def thoughts(self) -> tuple[Thought, ...]:
        """Its thoughts, in order."""
        return tuple(part for part in self.parts if isinstance(part, Thought))

    @property
    def prose(self) -> tuple[Prose, ...]:
        """Its texts, in order."""
        return tuple(part for part in self.parts if isinstance(part, Prose))

    @property
    def result(self) -> Result | None:
        """Of a tool's message its result."""
        return next((part for part in self.parts if isinstance(part, Result)), None)

    def with_parts(self, *parts: Part) -> "RowMessage":
        """The same message with other parts; the text that it came with no longer holds."""
        return replace(self, parts=parts, text=None)


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """A conversation with its tools, and what its row says beside it."""

    messages: tuple[RowMessage, ...]
    """The oldest first; of a preference the prompt and the chosen answer."""
    tools: OfferedTools = field(default_factory=OfferedTools)
    """What the model was offered."""
    rejected: tuple[RowMessage, ...] = ()
    """Another answer behind the same prompt, which was not chosen."""
    answer_start: int | None = None
    """Index of the answer's first message; None where prompt and answer were not told apart."""
    label: bool | None = None
    """Whether the answer is good; None where no one said."""
    columns: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """All else that the row holds, by column."""

    @property
    def answer_index(self) -> int:
        """Where the answer begins: as told, else behind the last message that is not the model's or a tool's."""
        if self.answer_start is not None:
            return self.answer_start
        own = (Role.ASSISTANT, Role.TOOL)
        return next(
            (
                index + 1
                for index in reversed(range(len(self.messages)))
                if self.messages[index].role not in own
            ),
            0,
        )


_KINDS: Final = {Prose: "prose", Thought: "thought", Call: "call", Result: "result"}


def canonical_text(trajectory: Trajectory) -> str:
    """One text for equal trajectories: unlike `==` it minds key order, and tells `1` from `1.0` and `true`.

    Bytes that only spell (`text`, `arguments_text`) and places do not count.
    """
    return "\n".join(
        [
            *(message_text(message) for message in trajectory.messages),
            *("rejected " + message_text(message) for message in trajectory.rejected),
            spelled_json([spec.document for spec in trajectory.tools.specs]),
            spelled_json([trajectory.answer_start, trajectory.label]),
            json.dumps(dict(trajectory.columns), sort_keys=True),
        ]
    )


def message_text(message: RowMessage) -> str:
    """One text for equal messages; see `canonical_text`."""
    parts: list[JsonValue] = [[_KINDS[type(part)], *_fields(part)] for part in message.parts]
    return spelled_json([str(message.role), message.is_trained, *parts])


def _fields(part: Part) -> list[JsonValue]:
    match part:
        case Call():
            return [part.name, part.arguments, part.id]
        case Result():
            return [part.text, part.id, part.name]
        case _:
            return [part.text]


def pair_results(messages: Sequence[RowMessage]) -> tuple[RowMessage, ...]:
    """The messages with names and ids filled in: each result knows the name, and each call and result the id,
    that its other half tells. By id where there are ids, else by order."""
    found = list(messages)
    for index, message in enumerate(found):
        if message.calls:
            end = index + 1
            while end < len(found) and found[end].role is Role.TOOL:
                end += 1
            found[index], found[index + 1 : end] = _tied(message, found[index + 1 : end])
    return tuple(found)


def _tied(message: RowMessage, answers: Sequence[RowMessage]) -> tuple[RowMessage, list[RowMessage]]:
    """A message with calls, and the results behind it."""
    calls = list(message.calls)
    by_id = {call.id: place for place, call in enumerate(calls) if call.id is not None}
    tied: list[RowMessage] = []
    for order, answer in enumerate(answers):
        result = answer.result
        place = by_id.get(result.id, order) if result and result.id is not None else order
        if result is not None and place < len(calls) and _may_answer(calls[place], result):
            call = calls[place]
            calls[place] = replace(call, id=call.id if call.id is not None else result.id)
            named = replace(result, name=result.name or call.name, id=calls[place].id)
            answer = replace(answer, parts=(named,))
        tied.append(answer)
    replaced = iter(calls)
    parts = tuple(next(replaced) if isinstance(part, Call) else part for part in message.parts)
    return replace(message, parts=parts), tied


def _may_answer(call: Call, result: Result) -> bool:
    """Whether nothing speaks against it."""
    is_named = result.name is None or result.name == call.name
    return is_named and (result.id is None or call.id is None or result.id == call.id)
