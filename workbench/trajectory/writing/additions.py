"""Steps that add or rearrange what a format needs, without losing information."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count, zip_longest
from typing import Final

from workbench.chat.message import Role, ToolCall
from workbench.hermes.reading import Dialect
from workbench.hermes.spelling.families import FAMILIES
from workbench.hermes.spelling.family import Family, xml_call_json_values
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.hermes_text import read_text, render_call, spell_parts
from workbench.trajectory.system_text import (
    compose_system,
    form_of_examples,
    split_system,
    without_tool_list,
)
from workbench.trajectory.trajectory import Call, Prose, RowMessage
from workbench.trajectory.writing.row_draft import Addition, RowDraft, Step, results_after

_TOOLS_TAG: Final = "<tools>"
_XML_CALL: Final = re.compile(r"<tool_call>\s*+<function=")


def order_results(draft: RowDraft) -> None:
    """Put results into the order of their calls."""

    def change(messages: tuple[RowMessage, ...]) -> Iterator[RowMessage]:
        index = 0
        while index < len(messages):
            results = results_after(messages, index)
            yield messages[index]
            yield from _ordered(draft, messages[index], results) if len(results) > 1 else results
            index += 1 + len(results)

    draft.rebuild(change)


def _ordered(draft: RowDraft, message: RowMessage, results: tuple[RowMessage, ...]) -> tuple[RowMessage, ...]:
    order = {call.id: place for place, call in enumerate(message.calls) if call.id is not None}
    ids = [value.result.id if value.result else None for value in results]
    places = [None if value is None else order.get(value) for value in ids]
    if len(order) < len(message.calls) or None in places:
        return results
    ordered = tuple(
        value for _place, value in sorted(zip(places, results, strict=True), key=lambda pair: pair[0] or 0)
    )
    if ordered != results:
        draft.note(Addition.RESULTS_ORDERED, message.place)
    return ordered


def require_ids(draft: RowDraft) -> None:
    """Give every call a unique id, and every result the id of its call."""
    assign_ids(draft, answered_only=False)
    for message in draft.trajectory.messages + draft.trajectory.rejected:
        if message.result is not None and message.result.id is None:
            draft.refuse("the result answers no call", message)


def assign_ids(draft: RowDraft, *, answered_only: bool) -> None:
    """Give ids to calls that have none, and to their results.

    Args:
        draft: The trajectory to change.
        answered_only: Leave calls without a result unchanged.
    """
    taken = {call.id for message, _results in draft.rounds() for call in message.calls}
    fresh = (f"call_{number}" for number in count(1) if f"call_{number}" not in taken)

    def change(messages: tuple[RowMessage, ...]) -> Iterator[RowMessage]:
        index = 0
        while index < len(messages):
            message, results = messages[index], results_after(messages, index)
            if message.calls:
                known = len(results) if answered_only else len(message.calls)
                message, results = _with_ids(draft, message, results, fresh, known)
            yield message
            yield from results
            index += 1 + len(results)

    draft.rebuild(change)


def _with_ids(
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
    return replace(message, parts=parts), tuple(_answering(result, call) for result, call in paired)


def _answering(message: RowMessage, call: Call | None) -> RowMessage:
    result = message.result
    if result is None or call is None or result.id is not None or result.name not in (None, call.name):
        return message
    return replace(message, parts=(replace(result, id=call.id, name=call.name),))


def add_tool_list(frame: str | None = None) -> Step:
    """Return a step that adds a list of the tools to the system text, unless it has one.

    Args:
        frame: Name of the frame; None takes the one of the options.
    """

    def step(draft: RowDraft) -> None:
        trajectory = draft.trajectory
        if not trajectory.tools.specs or any(
            _lists_tools(message, trajectory.tools) for message in trajectory.messages
        ):
            return
        system = (
            trajectory.messages[0]
            if trajectory.messages and trajectory.messages[0].role is Role.SYSTEM
            else None
        )
        own = system.prose[0].text if system and system.prose else ""
        text = compose_system(own, trajectory.tools, frame or draft.options.frame)
        draft.note(Addition.TOOLS_TOLD, system.place if system else None)
        with_tools = replace(system or RowMessage(role=Role.SYSTEM, parts=()), text=text)
        rest = trajectory.messages[1:] if system else trajectory.messages
        start = None if trajectory.answer_start is None else trajectory.answer_start + (system is None)
        draft.trajectory = replace(trajectory, messages=(with_tools, *rest), answer_start=start)

    return step


def _lists_tools(message: RowMessage, tools: OfferedTools) -> bool:
    """Whether a system text lists the tools: within `<tools>`, or at least each name in double quotes."""
    if message.role is not Role.SYSTEM:
        return False
    texts = (message.text or "", *(prose.text for prose in message.prose))
    return any(
        _TOOLS_TAG in text or all(json.dumps(name, ensure_ascii=False) in text for name in tools.names)
        for text in texts
    )


def match_call_form(draft: RowDraft) -> None:
    """Write calls in the form that the system text asks for. Run `add_tool_list` first.

    A session of a server for Qwen3-Coder has XML calls, and the list that is added may ask for JSON. A model that is
    trained on both would learn to ignore the system text.
    """
    trajectory = draft.trajectory
    system = trajectory.messages[0] if trajectory.messages else None
    if draft.options.keeps_call_form or system is None or system.role is not Role.SYSTEM:
        return
    text = _prose_of(system) if system.text is None else system.text
    asked = form_of_examples(text)
    if asked is None:
        return
    spell_call = partial(_xml_body, FAMILIES.get(split_system(text).frame.removeprefix("template-")))

    def change(message: RowMessage) -> RowMessage:
        if not message.calls or (message.text is None and asked is Dialect.JSON):
            return message
        is_xml = message.text is not None and _XML_CALL.search(message.text) is not None
        if is_xml is (asked is Dialect.XML):
            return message
        spelled = spell_parts(message.parts, spell_call if asked is Dialect.XML else None)
        read = RowMessage(role=message.role, parts=read_text(spelled, trajectory.tools).parts)
        if [*map(render_call, read.calls)] != [*map(render_call, message.calls)]:
            return message  # some values cannot be written as XML
        draft.note(Addition.CALL_FORM, message.place)
        return replace(message, text=spelled)

    draft.rewrite(change)


def _xml_body(family: Family | None, call: Call) -> str:
    spelled = ToolCall(name=call.name, arguments=call.arguments)
    render = xml_call_json_values if family is None else family.render_call
    return "".join(piece.text for piece in render(spelled))


def drop_tool_list(draft: RowDraft) -> None:
    """Remove a system text that only lists the tools. One that lists them in its own words is reported, or its list
    is removed if the options say so."""

    def change(messages: tuple[RowMessage, ...]) -> Iterator[RowMessage]:
        for message in messages:
            if message.role is Role.SYSTEM:
                if not message.parts:
                    continue
                if draft.trajectory.tools.specs and _TOOLS_TAG in _prose_of(message):
                    own = without_tool_list(_prose_of(message)) if draft.options.strips_tool_prompt else None
                    if own is None:
                        draft.note(Addition.TOOLS_TOLD_TWICE, message.place)
                    else:
                        draft.note(Addition.TOOL_PROMPT_REMOVED, message.place)
                        if not own:
                            continue
                        message = message.with_parts(Prose(text=own))
            yield message

    draft.rebuild(change)


def _prose_of(message: RowMessage) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, Prose))


def fill_source(draft: RowDraft) -> None:
    """Add the column `source` if the row has none."""
    trajectory = draft.trajectory
    columns = (
        {**trajectory.columns}
        if "source" in trajectory.columns
        else {**trajectory.columns, "source": draft.options.source}
    )
    draft.trajectory = replace(trajectory, columns=columns)
