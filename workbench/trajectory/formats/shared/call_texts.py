"""Read calls that a format holds as a text of JSON in an entry of their own, or in a part of one."""

import json
from collections.abc import Callable, Iterator
from typing import cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object, loads_strict
from workbench.hermes.body.shape import other_members
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.hermes_text import TolerantCalls, read_tolerantly, tagged
from workbench.trajectory.row import BARE, NO_ARGUMENTS, EntryCall, is_blank


def read_calls(
    text: str, pointer: str, name: str, report: Callable[[str, str], None], *, takes_list: bool = True
) -> Iterator[EntryCall]:
    """Read a call, or a list of calls. One that is not JSON is read with fixes.

    Args:
        text: The text.
        pointer: JSON pointer to the text.
        name: What the format calls such a text, for messages.
        report: Gets the code and the message of each problem.
        takes_list: Whether one text may hold several calls.
    """
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        if tolerant := read_tolerantly(text):
            yield from _fixed(tolerant, pointer)
            return
        value, problem = None, f"the value of {name} is not JSON"
    else:
        problem = f"the value of {name} is not a call{' or a list of calls' if takes_list else ''}"
    listed = value if isinstance(value, list) else [value]
    is_allowed = takes_list or not isinstance(value, list)
    if not listed or not is_allowed or not all(isinstance(call_value, dict) for call_value in listed):
        report("call-unreadable", problem)
        yield EntryCall.in_text(pointer, problem=problem)
        return
    calls = [_call(cast(JsonObject, call_value), pointer) for call_value in listed]
    if any(call.problem and (not call.is_bare or "parameters" in call.others) for call in calls):
        tolerant = read_tolerantly(text)
        if tolerant and BARE not in tolerant.fixes and all(map(_has_one_meaning, listed)):
            yield from _fixed(tolerant, pointer)
            return
    for call in calls:
        if call.problem:
            report("call-unreadable", call.problem)
        yield call


def _has_one_meaning(call: JsonValue) -> bool:
    """Whether no key occurs twice in arguments that are a text of JSON."""
    arguments = as_object(call).get("arguments")
    try:
        return not isinstance(arguments, str) or loads_strict(arguments) is not None
    except ValueError:
        return False


def _fixed(tolerant: TolerantCalls, pointer: str) -> Iterator[EntryCall]:
    for call in tolerant.calls:
        yield EntryCall.in_text(pointer, call.name, call.arguments, fixes=tolerant.fixes, others=call.others)


def _call(fields: JsonObject, pointer: str) -> EntryCall:
    name, arguments = fields.get("name"), fields.get("arguments")
    problem = "" if isinstance(name, str) and name else "the call has no name"
    if not isinstance(arguments, dict):
        problem = problem or (NO_ARGUMENTS if is_blank(arguments) else "the arguments are not an object")
    return EntryCall.in_text(
        pointer,
        name if isinstance(name, str) else "",
        arguments if isinstance(arguments, dict) else None,
        problem=problem,
        is_bare=problem == NO_ARGUMENTS,
        others=other_members(fields),
    )


def tagged_calls(body: str) -> str:
    """Return such a text in Hermes' tags: one block for each call, or one for all of the text."""
    try:
        value = cast(JsonValue, json.loads(body))
    except (ValueError, RecursionError):
        return tagged(body)
    return "\n".join(map(tagged, map(template_json, value))) if isinstance(value, list) else tagged(body)
