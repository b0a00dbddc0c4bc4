"""A conversation of a training row, independent of the row's format."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.chat.value_class import value_class
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import OfferedTools, cached_on


@value_class
class Prose:
    """Text that a person reads or wrote."""

    text: str
    """Byte for byte, but without the white space that separates it from calls and thoughts."""


@value_class
class Thought:
    """Reasoning."""

    text: str
    """Without tags and without the line breaks next to them; never empty."""


@value_class
class Call:
    """A tool call."""

    name: str
    arguments: JsonObject = field(hash=False)
    """By parameter name, in the order written."""
    arguments_text: str | None = field(default=None, compare=False)
    """The arguments as JSON text, byte for byte as in the row; None if the row has them as an object."""
    id: str | None = None
    """The call's id, which its result repeats; None if there is none."""
    others: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Members that the row has beside the name and the arguments; only a text in Hermes' format can hold them."""


@value_class
class Result:
    """The result of a tool call."""

    text: str
    """Byte for byte, without tags."""
    envelope: str | None = field(default=None, compare=False)
    """The record around it, byte for byte; formats with Hermes' texts write it. None if there is none."""
    id: str | None = None
    """Id of the call that it answers; None if there is none."""
    name: str | None = None
    """The tool's name; None if it is not known."""
    others: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Members that the row has beside these, such as `is_error`."""


Part = Prose | Thought | Call | Result


@value_class
class RowMessage:
    """One message of a conversation."""

    role: Role
    parts: tuple[Part, ...]
    """Its parts, in order. System and user: at most one prose. Tool: one result. Model: anything except results."""
    text: str | None = field(default=None, compare=False)
    """The whole message in Hermes' text format if the row had it so; text formats write exactly these bytes."""
    is_trained: bool | None = None
    """Whether the loss counts it; None if the format decides."""
    others: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Members of its entry beside these, such as `rating`. The results of one entry all have the entry's."""
    has_empty_thought: bool = field(default=False, compare=False)
    """Whether its entry has a thought without text, for which there is no part."""
    place: int = field(default=-1, compare=False)
    """Index of the entry that it was read from, from 0; -1 if there is none."""
    calls: tuple[Call, ...] = field(init=False, repr=False, compare=False)
    """The message's calls, in order."""
    result: Result | None = field(init=False, repr=False, compare=False)
    """The result that a tool's message holds; None for other roles."""

    def __post_init__(self) -> None:
        # The steps of a conversion ask for them dozens of times for each row.
        parts, set_once = self.parts, object.__setattr__
        is_model = self.role is Role.ASSISTANT
        set_once(self, "calls", tuple([part for part in parts if isinstance(part, Call)]) if is_model else ())
        last = parts[0] if len(parts) == 1 else None
        set_once(self, "result", last if isinstance(last, Result) else None)

    @property
    def thoughts(self) -> tuple[Thought, ...]:
        """The message's thoughts, in order."""
        return tuple(part for part in self.parts if isinstance(part, Thought))

    @property
    def prose(self) -> tuple[Prose, ...]:
        """The message's pieces of prose, in order."""
        return tuple(part for part in self.parts if isinstance(part, Prose))

    def with_parts(self, *parts: Part) -> "RowMessage":
        """Return the message with other parts, without its original text, which no longer matches them."""
        return replace(self, parts=parts, text=None)


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """A conversation with its tools and the other columns of its row."""

    messages: tuple[RowMessage, ...]
    """The oldest first; for a preference row, the prompt and the chosen answer."""
    tools: OfferedTools = field(default_factory=OfferedTools)
    """The tools that the model was offered."""
    rejected: tuple[RowMessage, ...] = ()
    """Another answer to the same prompt, which was not chosen."""
    answer_start: int | None = None
    """Index of the answer's first message; None if prompt and answer are not separated."""
    label: bool | None = None
    """Whether the answer is good; None if nobody has judged it."""
    columns: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """The other columns of the row."""

    @property
    def answer_index(self) -> int:
        """Index of the answer's first message. If unknown: after the last message that is not a model's or tool's."""
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


def is_same_trajectory(one: Trajectory, other: Trajectory) -> bool:
    """Whether two trajectories mean the same, with the same values in the same order.

    Unlike `==`, it distinguishes the order of keys, and `1` from `1.0` and `true`. It ignores `text`,
    `arguments_text` and places, which do not change the meaning.
    """
    return (
        _are_same_messages(one.messages, other.messages)
        and _are_same_messages(one.rejected, other.rejected)
        and (one.tools is other.tools or _texts_of(one.tools) == _texts_of(other.tools))
        and (one.answer_start, one.label) == (other.answer_start, other.label)
        and (one.columns is other.columns or _columns_text(one) == _columns_text(other))
    )


def _columns_text(trajectory: Trajectory) -> str:
    return json.dumps(dict(trajectory.columns), sort_keys=True) if trajectory.columns else ""


def _are_same_messages(messages: Sequence[RowMessage], others: Sequence[RowMessage]) -> bool:
    return len(messages) == len(others) and all(map(is_same_message, messages, others))


def is_same_message(message: RowMessage, other: RowMessage) -> bool:
    """Whether two messages mean the same; see `is_same_trajectory`."""
    # Only JSON values can be equal without being written the same.
    return message == other and all(map(is_written_alike, _values_of(message), _values_of(other)))


def is_written_alike(value: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are the same, with the same order of keys; unlike `==`, `1` differs from `1.0`."""
    if value is other:
        return True
    try:
        written = orjson.dumps(value)
        if b"null" not in written:  # which orjson also writes for NaN
            return written == orjson.dumps(other)
    except TypeError:  # a long integer, or half of a surrogate pair
        pass
    return template_json(value) == template_json(other)


def _values_of(message: RowMessage) -> list[JsonObject]:
    """Return the JSON values of a message: its own other members, and arguments and other members of its parts."""
    values = [message.others] if message.others else []
    for part in message.parts:
        if isinstance(part, Call):
            values.append(part.arguments)
        if isinstance(part, Call | Result) and part.others:
            values.append(part.others)
    return values


def _texts_of(tools: OfferedTools) -> list[str]:
    return cached_on(tools, "_texts", lambda tools: [template_json(spec.document) for spec in tools.specs])


def pair_results(messages: Sequence[RowMessage]) -> tuple[RowMessage, ...]:
    """Match results with calls, and fill in what each side knows: ids on both, the tool's name on the result.

    Results are matched by id. The others answer, in order, the calls that no result names.
    """
    messages_out = list(messages)
    for index, message in enumerate(messages_out):
        if message.calls:
            end = index + 1
            while end < len(messages_out) and messages_out[end].role is Role.TOOL:
                end += 1
            messages_out[index], messages_out[index + 1 : end] = _paired(
                message, messages_out[index + 1 : end]
            )
    return tuple(messages_out)


def _paired(message: RowMessage, answers: Sequence[RowMessage]) -> tuple[RowMessage, list[RowMessage]]:
    """Match one message's calls with the results that follow it."""
    calls = list(message.calls)
    by_id = {call.id: place for place, call in enumerate(calls) if call.id is not None}
    named = [by_id.get(answer.result.id or "") if answer.result else None for answer in answers]
    others = iter([place for place in range(len(calls)) if place not in named])
    paired: list[RowMessage] = []
    is_changed = False
    for found, answer in zip(named, answers, strict=True):
        result = answer.result
        place = next(others, len(calls)) if found is None else found
        if result is not None and place < len(calls) and _may_answer(calls[place], result):
            call = calls[place]
            if call.id is None and result.id is not None:
                call = calls[place] = replace(call, id=result.id)
                is_changed = True
            name = result.name or call.name
            if (name, call.id) != (result.name, result.id):
                answer = replace(answer, parts=(replace(result, name=name, id=call.id, envelope=None),))
        paired.append(answer)
    if not is_changed:
        return message, paired
    replaced = iter(calls)
    parts = tuple(next(replaced) if isinstance(part, Call) else part for part in message.parts)
    return replace(message, parts=parts), paired


def _may_answer(call: Call, result: Result) -> bool:
    """Whether a result can belong to a call: neither its name nor its id contradicts it."""
    is_named = result.name is None or result.name == call.name
    return is_named and (result.id is None or call.id is None or result.id == call.id)
