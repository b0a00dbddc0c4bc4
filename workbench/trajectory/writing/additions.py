"""Steps that add or rearrange what a format needs, without loss."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, zip_longest
from typing import Final

from workbench.chat.message import Role
from workbench.trajectory.system_text import compose_system
from workbench.trajectory.trajectory import Call, Prose, RowMessage
from workbench.trajectory.writing.row_draft import Addition, RowDraft, Step, results_behind

_TOOLS_TAG: Final = "<tools>"


def order_results(draft: RowDraft) -> None:
    """Results stand in the order of their calls."""

    def change(messages: tuple[RowMessage, ...]) -> Iterator[RowMessage]:
        index = 0
        while index < len(messages):
            results = results_behind(messages, index)
            yield messages[index]
            yield from _ordered(draft, messages[index], results)
            index += 1 + len(results)

    draft.rebuild(change)


def _ordered(draft: RowDraft, message: RowMessage, results: tuple[RowMessage, ...]) -> tuple[RowMessage, ...]:
    order = {call.id: place for place, call in enumerate(message.calls) if call.id is not None}
    ids = [one.result.id if one.result else None for one in results]
    places = [None if one is None else order.get(one) for one in ids]
    if len(order) < len(message.calls) or None in places:
        return results
    ordered = tuple(
        one for _place, one in sorted(zip(places, results, strict=True), key=lambda pair: pair[0] or 0)
    )
    if ordered != results:
        draft.note(Addition.RESULTS_ORDERED, message.place)
    return ordered


def require_ids(draft: RowDraft) -> None:
    """Every call has an id of its own, and every result that of its call."""
    assign_ids(draft, answered_only=False)
    for message in draft.trajectory.messages + draft.trajectory.rejected:
        if message.result is not None and message.result.id is None:
            draft.refuse("its result answers no call", message)


def assign_ids(draft: RowDraft, *, answered_only: bool) -> None:
    """Calls without id get one, and their results with them.

    Args:
        holding: What to change.
        answered_only: Whether calls without a result stay without id.
    """
    taken = {call.id for message, _results in draft.rounds() for call in message.calls}
    fresh = (f"call_{number}" for number in count(1) if f"call_{number}" not in taken)

    def change(messages: tuple[RowMessage, ...]) -> Iterator[RowMessage]:
        index = 0
        while index < len(messages):
            message, results = messages[index], results_behind(messages, index)
            if message.calls:
                known = len(results) if answered_only else len(message.calls)
                message, results = _tied(draft, message, results, fresh, known)
            yield message
            yield from results
            index += 1 + len(results)

    draft.rebuild(change)


def _tied(
    draft: RowDraft,
    message: RowMessage,
    results: tuple[RowMessage, ...],
    fresh: Iterator[str],
    known: int,
) -> tuple[RowMessage, tuple[RowMessage, ...]]:
    calls = [
        replace(call, id=next(fresh)) if call.id is None and order < known else call
        for order, call in enumerate(message.calls)
    ]
    if tuple(calls) == message.calls:
        return message, results
    draft.note(Addition.IDS_MADE, message.place)
    replaced = iter(calls)
    parts = tuple(next(replaced) if isinstance(part, Call) else part for part in message.parts)
    paired = zip_longest(results, calls[: len(results)])
    return replace(message, parts=parts), tuple(_answering(one, call) for one, call in paired)


def _answering(message: RowMessage, call: Call | None) -> RowMessage:
    result = message.result
    if result is None or call is None or result.id is not None or result.name not in (None, call.name):
        return message
    return replace(message, parts=(replace(result, id=call.id, name=call.name),))


def add_tool_list(frame: str | None = None) -> Step:
    """The step after which a system text tells of the tools, where none does.

    Args:
        frame: In which sentences; None takes those of the terms.
    """

    def step(draft: RowDraft) -> None:
        given = draft.trajectory
        if not given.tools.specs or any(_lists_tools(message) for message in given.messages):
            return
        own = given.messages[0] if given.messages and given.messages[0].role is Role.SYSTEM else None
        said = own.prose[0].text if own and own.prose else ""
        text = compose_system(said, given.tools, frame or draft.options.frame)
        draft.note(Addition.TOOLS_TOLD, own.place if own else None)
        told = replace(own or RowMessage(role=Role.SYSTEM, parts=()), text=text)
        rest = given.messages[1:] if own else given.messages
        start = None if given.answer_start is None else given.answer_start + (own is None)
        draft.trajectory = replace(given, messages=(told, *rest), answer_start=start)

    return step


def _lists_tools(message: RowMessage) -> bool:
    if message.role is not Role.SYSTEM:
        return False
    return any(_TOOLS_TAG in text for text in (message.text or "", *(prose.text for prose in message.prose)))


def drop_tool_list(draft: RowDraft) -> None:
    """A system text that says nothing but the tools goes; one that tells of them in its own words is told."""

    def change(messages: tuple[RowMessage, ...]) -> Iterator[RowMessage]:
        for message in messages:
            if message.role is Role.SYSTEM:
                if not message.parts:
                    continue
                if draft.trajectory.tools.specs and _TOOLS_TAG in _said(message):
                    draft.note(Addition.TOOLS_TOLD_TWICE, message.place)
            yield message

    draft.rebuild(change)


def _said(message: RowMessage) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, Prose))


def fill_source(draft: RowDraft) -> None:
    """The column `source` is there."""
    given = draft.trajectory
    columns = (
        {**given.columns} if "source" in given.columns else {**given.columns, "source": draft.options.source}
    )
    draft.trajectory = replace(given, columns=columns)
