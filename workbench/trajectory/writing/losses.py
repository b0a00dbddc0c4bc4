"""Steps that drop what a format cannot hold, each reported as a loss."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.hermes_text import trimmed
from workbench.trajectory.trajectory import Call, Part, Prose, Result, RowMessage, Thought, Trajectory
from workbench.trajectory.writing.row_draft import (
    DETAIL,
    PART_MASKS,
    PART_OF_CONTENT,
    SHARE,
    Loss,
    RowDraft,
    Step,
)


def drop_preference(draft: RowDraft) -> None:
    """Drop the rejected answer, the label and the boundary between prompt and answer."""
    trajectory = draft.trajectory
    if not trajectory.rejected and trajectory.label is trajectory.answer_start is None:
        return
    if trajectory.rejected:
        draft.note(Loss.REJECTED)
    if trajectory.label is not None:
        draft.note(Loss.LABEL)
    free = replace(trajectory, rejected=(), label=None, answer_start=None)
    if trajectory.answer_start not in (None, free.answer_index):
        draft.note(Loss.ANSWER_START)
    draft.trajectory = free


def drop_ids(draft: RowDraft) -> None:
    """Drop ids, so that the order alone says which result answers which call. Run `order_results` first."""
    refuse_partial_answers(draft)
    _each_part(draft, _without_id, Loss.IDS)


def refuse_partial_answers(draft: RowDraft) -> None:
    """Refuse results that do not answer the first calls: without ids, order would pair them with those."""
    for message, results in draft.rounds():
        answered = [result_message.result.id for result_message in results if result_message.result]
        expected = [call.id for call in message.calls[: len(answered)]]
        if any(answered) and answered[: len(expected)] != expected:
            draft.refuse(
                "only some calls have results, and without ids their order does not show which", message
            )


def drop_result_names(draft: RowDraft) -> None:
    """Drop the names of results; a result that answers no call loses information by it."""
    nameless: set[int] = set()
    for message, results in draft.rounds():
        by_id = {call.id: call for call in message.calls if call.id is not None}
        for order, result_message in enumerate(results):
            answered = message.calls[order] if order < len(message.calls) else None
            if result_message.result and result_message.result.id is not None:
                answered = by_id.get(result_message.result.id)
            if result_message.result and answered and result_message.result.name == answered.name:
                nameless.add(id(result_message))

    def change(message: RowMessage) -> RowMessage:
        result = message.result
        if result is None or result.name is None or id(message) in nameless:
            return message
        draft.note(Loss.RESULT_NAMES, message.place)
        return message.with_parts(replace(result, name=None))

    draft.rewrite(change)


def drop_thoughts(draft: RowDraft) -> None:
    """Drop thoughts."""
    _filter_parts(draft, lambda part: not isinstance(part, Thought), Loss.REASONING)


def drop_preface(draft: RowDraft) -> None:
    """Drop text in messages that have calls."""

    def change(message: RowMessage) -> RowMessage:
        if not (message.calls and message.prose):
            return message
        draft.note(Loss.PREFACE, message.place)
        return message.with_parts(*(part for part in message.parts if not isinstance(part, Prose)))

    draft.rewrite(change)


def has_keys(trajectory: Trajectory) -> bool:
    """Whether a message or a result has other members or a mask; most rows have none, and need none of the steps."""
    for message in trajectory.messages + trajectory.rejected:
        if message.others or message.is_trained is not None:
            return True
        if message.role is Role.TOOL:
            for part in message.parts:
                if isinstance(part, Result) and part.others:
                    return True
    return False


HasPlace = Callable[[RowMessage, str, JsonValue], bool]
"""Whether an entry of a format can have a member of this name and value beside its own."""


def drop_keys(has_place: HasPlace, *, writes_records: bool = False) -> Step:
    """Return a step that drops the members of messages that the format has no place for, and those of results.

    Args:
        has_place: Whether an entry of the format can have a member.
        writes_records: Whether results are records, which have a place for theirs.
    """

    def step(draft: RowDraft) -> None:
        if not has_keys(draft.trajectory):
            return

        def change(message: RowMessage) -> RowMessage:
            result = message.result
            if result is not None and result.others and not writes_records:
                # The text of a record has all of its members.
                for key in result.others if result.envelope is None else ():
                    draft.note(Loss.ENTRY_KEYS, message.place, key)
                message = replace(message, parts=(replace(result, others={}),))
            lost = [
                key
                for key, value in message.others.items()
                if key.startswith(PART_OF_CONTENT) or not has_place(message, key, value)
            ]
            if not lost:
                return message
            for key in lost:
                code, detail = (Loss.LOSS_MASK, "") if key == PART_MASKS else (Loss.ENTRY_KEYS, key)
                draft.note(code, message.place, detail)
            kept = {key: value for key, value in message.others.items() if key not in lost}
            return replace(message, others=kept)

        draft.rewrite(change)

    return step


drop_all_keys: Final = drop_keys(lambda _message, _key, _value: False)
"""Drops the members of messages and results beside those that every format has."""


def lift_result_keys(draft: RowDraft) -> None:
    """Move the members of results to their messages, in formats where a message holds one result."""
    if not has_keys(draft.trajectory):
        return

    def change(message: RowMessage) -> RowMessage:
        result = message.result
        if result is None or not result.others:
            return message
        for key in result.others.keys() & message.others:
            draft.note(Loss.ENTRY_KEYS, message.place, key)
        return replace(
            message, parts=(replace(result, others={}),), others={**message.others, **result.others}
        )

    draft.rewrite(change)


def drop_call_members(own: Collection[str] | None = None) -> Step:
    """Return a step that drops what calls have beside their names and arguments.

    Args:
        own: Keys that calls of the format have themselves, so that they have a place for all others. None: they have
            no place for any.
    """
    return _drop_members(lambda _message: True, own)


def _drop_members(drops: Callable[[RowMessage], bool], own: Collection[str] | None = None) -> Step:
    def is_kept(name: str) -> bool:
        return own is not None and name not in own

    def without_lost(part: Part) -> Part:
        if not isinstance(part, Call):
            return part
        return replace(part, others={key: value for key, value in part.others.items() if is_kept(key)})

    def step(draft: RowDraft) -> None:
        def change(message: RowMessage) -> RowMessage:
            lost = [
                f"{name!r} of {call.name!r}"
                for call in message.calls
                for name in call.others
                if not is_kept(name)
            ]
            if not lost or not drops(message):
                return message
            for detail in lost:
                draft.note(Loss.CALL_MEMBERS, message.place, detail)
            return message.with_parts(*map(without_lost, message.parts))

        draft.rewrite(change)

    return step


drop_new_call_members: Final = _drop_members(lambda message: message.text is None)
"""Drops what calls have beside their names and arguments, unless the message's own text is written."""


def flatten_parts(draft: RowDraft) -> None:
    """Reorder each message of the model to at most one thought, one text, then the calls."""

    def change(message: RowMessage) -> RowMessage:
        if message.role is not Role.ASSISTANT or len(message.parts) < 2:
            return message
        flat = tuple(_flat(message))
        if flat == message.parts:
            return message
        draft.note(Loss.PART_ORDER, message.place)
        return message.with_parts(*flat)

    draft.rewrite(change)


def trim_prose(draft: RowDraft) -> None:
    """Strip white space where a text meets a call or a thought."""

    def change(message: RowMessage) -> RowMessage:
        parts = trimmed(message.parts)
        if parts == message.parts:
            return message
        draft.note(Loss.WHITE_SPACE, message.place)
        return message.with_parts(*parts)

    draft.rewrite(change)


def drop_mask(draft: RowDraft) -> None:
    """Drop the information which messages, and which parts of them, the loss counts."""

    def change(message: RowMessage) -> RowMessage:
        if message.is_trained is None:
            return message
        draft.note(Loss.LOSS_MASK, message.place)
        return replace(message, is_trained=None)

    draft.rewrite(change)
    drop_details(lambda _message: False)(draft)


def drop_details(has_same_text: Callable[[RowMessage], bool], *, has_shares: bool = False) -> Step:
    """Return a step that drops how much the loss counts a message, and which characters of it.

    Args:
        has_same_text: Whether the format writes the text of a message unchanged, so that the characters stay right.
        has_shares: Whether trainers of the format read a `loss_weight` between 0 and 1.
    """

    def step(draft: RowDraft) -> None:
        if not has_keys(draft.trajectory):
            return

        def change(message: RowMessage) -> RowMessage:
            lost = [DETAIL] if DETAIL in message.others and not has_same_text(message) else []
            lost += [SHARE] if SHARE in message.others and not has_shares else []
            if not lost:
                return message
            for key in lost:
                draft.note(Loss.LOSS_MASK, message.place, key)
            others = {key: value for key, value in message.others.items() if key not in lost}
            return replace(message, others=others)

        draft.rewrite(change)

    return step


def unwrap_tools(draft: RowDraft) -> None:
    """Reduce each tool spec to its function."""
    specs: list[ToolSpec] = []
    for spec in draft.trajectory.tools.specs:
        for key in spec.document:
            if key not in ("type", "function"):
                draft.note(Loss.TOOL_KEYS, detail=f"{key!r} of {spec.name!r}")
        specs.append(ToolSpec.of_function(spec.function))
    draft.trajectory = replace(draft.trajectory, tools=OfferedTools(specs=tuple(specs)))


def drop_columns(*names: str) -> Step:
    """Return a step that drops other columns whose names the format needs."""
    taken: Collection[str] = frozenset(names)

    def step(draft: RowDraft) -> None:
        columns = draft.trajectory.columns
        lost = [name for name in columns if name in taken]
        if not lost:
            return
        for name in lost:
            draft.note(Loss.COLUMN, detail=name)
        remaining = {name: value for name, value in columns.items() if name not in taken}
        draft.trajectory = replace(draft.trajectory, columns=remaining)

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
    """Change parts, keeping the message's original text: it does not contain what changed."""

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
