"""Convert OpenAI messages with gold calls to a suite and back; the last assistant message is the expectation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from workbench.chat.json_value import load_json
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.suite.case import Case, Suite
from workbench.suite.exchange.bfcl import ExportedSuite, ImportedSuite, read_lines, write_lines
from workbench.suite.expectation import Expectation
from workbench.suite.read_suite import parse_case

FILE: Final = "messages.jsonl"
_Fields = Mapping[str, Any]


def import_openai(text: str, *, name: str) -> ImportedSuite:
    """A suite out of rows `{"messages": […], "tools": […]}`, one a line.

    The case is what stands before the last assistant message that answers a user; what that one calls is
    wanted, all arguments equal. Where it calls nothing, nothing may be called.

    Raises:
        BadInput: A line is no such row.
    """
    cases: list[Case] = []
    left_out: list[str] = []
    for number, (place, row) in enumerate(read_lines(text, where="rows"), start=1):
        messages = row.get("messages")
        if not isinstance(messages, list):
            raise BadInput(place, "it has no list of messages")
        identity = str(row.get("id") or f"row-{number}")
        gold = _gold(cast(list[_Fields], messages))
        if gold is None:
            left_out.append(f"{identity}: no assistant message answers a user's")
            continue
        cases.append(parse_case(_document(identity, row, gold, place), suite=name, where=place))
    if not cases:
        raise BadInput("rows", "no row can be taken", "; ".join(left_out[:1]))
    return ImportedSuite(suite=Suite(name=name, cases=tuple(cases)), left_out=tuple(left_out))


def export_openai(suite: Suite) -> ExportedSuite:
    """Rows of OpenAI messages, the wanted calls as the assistant's last message."""
    rows: list[Any] = []
    left_out: list[str] = []
    for case in suite.cases:
        said_by = next((one for one in case.expectations if _said(one) is not None), None)
        gold = _said(said_by) if said_by else None
        if said_by is None or gold is None:
            left_out.append(f"{case.id}: what is wanted cannot be said as one message")
            continue
        left_out.extend(f"{case.id}: {line}" for line in _unsaid(case.expectations, said_by))
        system = [{"role": "system", "content": case.system}] if case.system else []
        said = [_written(one, case.messages[:place]) for place, one in enumerate(case.messages)]
        rows.append({"id": case.id, "messages": [*system, *said, gold], "tools": list(case.tool_specs)})
    return ExportedSuite(files={FILE: write_lines(rows)}, left_out=tuple(left_out))


def _gold(messages: list[_Fields]) -> int | None:
    """Place of the last assistant message that stands behind a user's; None where there is none."""
    places = range(len(messages) - 1, 0, -1)
    roles = [one.get("role") for one in messages]
    return next((place for place in places if roles[place - 1 : place + 1] == ["user", "assistant"]), None)


def _document(identity: str, row: _Fields, gold: int, place: str) -> dict[str, Any]:
    messages = cast(list[_Fields], row["messages"])
    names = {
        call.get("id"): _called(call, place)["name"]
        for one in messages
        for call in one.get("tool_calls") or ()
    }
    calls = [_called(call, place) for call in messages[gold].get("tool_calls") or ()]
    return {
        "id": identity,
        "messages": [_read(one, names, place) for one in messages[:gold]],
        "tool_specs": row.get("tools") or [],
        "max_rounds": 1,
        "expect": [{"calls": calls} if calls else {"no_call": True}],
    }


def _read(message: _Fields, names: Mapping[Any, str], place: str) -> dict[str, Any]:
    role = message.get("role")
    read: dict[str, Any] = {"role": "system" if role == "developer" else role}
    read["content"] = message.get("content") or ""
    if message.get("tool_calls"):
        read["calls"] = [_called(call, place) for call in message["tool_calls"]]
    name = message.get("name") or names.get(message.get("tool_call_id"))
    return {**read, "name": name} if name else read


def _called(call: _Fields, place: str) -> dict[str, Any]:
    function = cast(_Fields, call.get("function") or {})
    arguments: Any = function.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = load_json(arguments or "{}")
        except ValueError as error:
            raise BadInput(place, f"arguments of {function.get('name')!r} are not JSON: {error}") from error
    return {"name": function.get("name"), "arguments": arguments}


def _said(one: Expectation) -> dict[str, Any] | None:
    """The message that does what is wanted; None where several do, or none can be said."""
    if one.no_call:
        return {"role": "assistant", "content": ""}
    if not one.calls:
        return None
    calls: list[dict[str, Any]] = []
    for pattern in one.calls:
        arguments = pattern.arguments
        if not isinstance(pattern.name, str) or arguments is None or pattern.arguments_schema:
            return None
        if any(isinstance(want, dict) for want in arguments.values()):
            return None
        for _ in range(pattern.count):
            calls.append(_tool_call(pattern.name, arguments, len(calls)))
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _unsaid(expectations: Sequence[Expectation], said_by: Expectation) -> Iterator[str]:
    """What the one message does not say of what is wanted."""
    for one in expectations:
        if one is not said_by:
            yield f"{one.kind} has no word in a message"
    if any(pattern.optional for pattern in said_by.calls or ()):
        yield "the message has no arguments that may be left out"
    if said_by.in_order:
        yield "the order of its calls is not asked for"
    if said_by.allow_extra:
        yield "no other calls may stand beside its own"


def _tool_call(name: str, arguments: _Fields, number: int) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": f"call_{number}", "type": "function", "function": function}


def _written(message: Message, before: tuple[Message, ...]) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.calls:
        first = sum(len(one.calls) for one in before)
        written["tool_calls"] = [
            _tool_call(call.name, call.arguments, first + place) for place, call in enumerate(message.calls)
        ]
    if message.role is Role.TOOL:
        written["tool_call_id"] = f"call_{sum(one.role is Role.TOOL for one in before)}"
        written["name"] = message.name
    return written
