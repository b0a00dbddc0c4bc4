"""Steps that drop what a format cannot hold, each reported as a loss."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final, Literal, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.hermes_text import trimmed
from workbench.trajectory.trajectory import Call, Part, Prose, Result, RowMessage, Thought, Trajectory
from workbench.trajectory.writing.row_draft import Loss, RowDraft, Step

LARGEST: Final = 2**63 - 1
"""The largest integer of an Arrow column, and of most readers of JSON."""


def drop_preference(draft: RowDraft) -> None:
    """Only a conversation can be held: no rejected answer, no label, no border between prompt and answer."""
    given = draft.trajectory
    if given.rejected:
        draft.note(Loss.REJECTED)
    if given.label is not None:
        draft.note(Loss.LABEL)
    free = replace(given, rejected=(), label=None, answer_start=None)
    if given.answer_start not in (None, free.answer_index):
        draft.note(Loss.ANSWER_START)
    draft.trajectory = free


def drop_ids(draft: RowDraft) -> None:
    """Which result answers which call is told by order; see `order_results`, which comes first."""
    refuse_partial_answers(draft)
    _each_part(draft, _without_id, Loss.IDS)


def refuse_partial_answers(draft: RowDraft) -> None:
    """Results that answer others than the first calls cannot be told by order."""
    for message, results in draft.rounds():
        answered = [one.result.id for one in results if one.result]
        wanted = [call.id for call in message.calls[: len(answered)]]
        if any(answered) and answered[: len(wanted)] != wanted:
            draft.refuse("its results answer only some of the calls; order alone cannot tell which", message)


def drop_result_names(draft: RowDraft) -> None:
    """A result's tool is told by the call that it answers."""
    nameless: set[int] = set()
    for message, results in draft.rounds():
        by_id = {call.id: call for call in message.calls if call.id is not None}
        for order, one in enumerate(results):
            answered = message.calls[order] if order < len(message.calls) else None
            if one.result and one.result.id is not None:
                answered = by_id.get(one.result.id)
            if one.result and answered and one.result.name == answered.name:
                nameless.add(id(one))

    def change(message: RowMessage) -> RowMessage:
        result = message.result
        if result is None or result.name is None or id(message) in nameless:
            return message
        draft.note(Loss.RESULT_NAMES, message.place)
        return message.with_parts(replace(result, name=None))

    draft.rewrite(change)


def drop_thoughts(draft: RowDraft) -> None:
    """No reasoning."""
    _filter_parts(draft, lambda part: not isinstance(part, Thought), Loss.REASONING)


def drop_preface(draft: RowDraft) -> None:
    """No text beside calls."""

    def change(message: RowMessage) -> RowMessage:
        if not (message.calls and message.prose):
            return message
        draft.note(Loss.PREFACE, message.place)
        return message.with_parts(*(part for part in message.parts if not isinstance(part, Prose)))

    draft.rewrite(change)


def flatten_parts(draft: RowDraft) -> None:
    """At most one thought, then one text, then the calls."""

    def change(message: RowMessage) -> RowMessage:
        if message.role is not Role.ASSISTANT:
            return message
        flat = tuple(_flat(message))
        if flat == message.parts:
            return message
        draft.note(Loss.PART_ORDER, message.place)
        return message.with_parts(*flat)

    draft.rewrite(change)


def trim_prose(draft: RowDraft) -> None:
    """No white space where a text meets a call or a thought."""

    def change(message: RowMessage) -> RowMessage:
        parts = trimmed(message.parts)
        if parts == message.parts:
            return message
        draft.note(Loss.WHITE_SPACE, message.place)
        return message.with_parts(*parts)

    draft.rewrite(change)


def drop_mask(draft: RowDraft) -> None:
    """Nothing is said of what the loss counts."""

    def change(message: RowMessage) -> RowMessage:
        if message.is_trained is None:
            return message
        draft.note(Loss.LOSS_MASK, message.place)
        return replace(message, is_trained=None)

    draft.rewrite(change)


def report_big_integers(draft: RowDraft) -> None:
    """Arguments are objects, whose integers a reader with columns cannot hold beyond 64 bits."""
    if draft.options.arguments == "text":
        return
    for message, _results in draft.rounds():
        if any(_is_big(call.arguments) for call in message.calls):
            draft.note(Loss.BIG_INTEGERS, message.place)


def bare_tools(draft: RowDraft) -> None:
    """Only the functions of the tool specs."""
    specs: list[ToolSpec] = []
    for spec in draft.trajectory.tools.specs:
        for key in spec.document:
            if key not in ("type", "function"):
                draft.note(Loss.TOOL_KEYS, detail=f"{key!r} of {spec.name!r}")
        specs.append(ToolSpec.of_function(spec.function))
    draft.trajectory = replace(draft.trajectory, tools=OfferedTools(specs=tuple(specs)))


def drop_columns(*names: str) -> Step:
    """The step that frees the columns which the format uses itself."""
    taken: Collection[str] = frozenset(names)

    def step(draft: RowDraft) -> None:
        columns = draft.trajectory.columns
        for name in columns:
            if name in taken:
                draft.note(Loss.COLUMN, detail=name)
        kept = {name: value for name, value in columns.items() if name not in taken}
        draft.trajectory = replace(draft.trajectory, columns=kept)

    return step


def _flat(message: RowMessage) -> Iterator[Part]:
    if message.thoughts:
        yield Thought(text="\n\n".join(thought.text for thought in message.thoughts))
    if message.prose:
        yield Prose(text="\n\n".join(prose.text for prose in message.prose))
    yield from message.calls


def _without_id(part: Part) -> Part:
    return replace(part, id=None) if isinstance(part, Call | Result) else part


def _each_part(draft: RowDraft, change: Callable[[Part], Part], loss: Loss) -> None:
    """Change parts without harm to the text that holds them."""

    def change_message(message: RowMessage) -> RowMessage:
        parts = tuple(change(part) for part in message.parts)
        if parts == message.parts:
            return message
        draft.note(loss, message.place)
        return replace(message, parts=parts)

    draft.rewrite(change_message)


def _filter_parts(draft: RowDraft, is_kept: Callable[[Part], bool], loss: Loss) -> None:
    def change(message: RowMessage) -> RowMessage:
        parts = tuple(part for part in message.parts if is_kept(part))
        if parts == message.parts:
            return message
        draft.note(loss, message.place)
        return message.with_parts(*parts)

    draft.rewrite(change)


def _is_big(value: JsonValue) -> bool:
    if isinstance(value, int):
        return not -LARGEST - 1 <= value <= LARGEST
    if isinstance(value, Mapping):
        return any(_is_big(inner) for inner in cast(JsonObject, value).values())
    return isinstance(value, list) and any(_is_big(inner) for inner in value)


_DEEPEST: Final = 50
"""Levels of nesting beyond which arguments are written as text, whatever their kinds."""


class ArgumentTypes:
    """What kinds of values each argument has had so far, over all tools, as Arrow merges them.

    Memory grows with the number of different paths, not with the number of calls.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._is_mixed = False

    def add(self, trajectory: Trajectory) -> None:
        """Take in the calls of one trajectory."""
        for message in trajectory.messages + trajectory.rejected:
            if self._is_mixed or message.role is not Role.ASSISTANT:
                continue
            for call in message.calls:
                for path, kind in _kinds(call.arguments, ""):
                    self._is_mixed |= self._kinds.setdefault(path, kind) != kind or kind == "big"

    @property
    def form(self) -> Literal["object", "text"]:
        """How arguments are to be written: as they are, or as text where kinds mix or a number is too big.

        *Source:* TRL's notes on tools in data sets; Arrow has one type a column.
        """
        return "text" if self._is_mixed else "object"


def _kinds(value: JsonValue, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if depth > _DEEPEST:
        yield path, "big"
    elif isinstance(value, Mapping):
        yield path, "object"
        for name, inner in cast(JsonObject, value).items():
            yield from _kinds(inner, f"{path}/{name}", depth + 1)
    elif isinstance(value, list | tuple):
        yield path, "array"
        for inner in value:
            yield from _kinds(inner, f"{path}/-", depth + 1)
    elif type(value) is int and not -LARGEST - 1 <= value <= LARGEST:
        yield path, "big"
    else:
        yield path, type(value).__name__
