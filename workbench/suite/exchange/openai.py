"""Convert OpenAI messages to a suite and back. The last assistant message has the expected calls."""

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
from workbench.toolspec.conditions import exactly

FILE: Final = "messages.jsonl"
_Fields = Mapping[str, Any]


def import_openai(text: str, *, name: str) -> ImportedSuite:
    """Import a suite from JSON Lines of `{"messages": […], "tools": […]}`.

    A case consists of the messages before the last assistant message that answers a user. It expects the calls of that
    message with equal arguments, or no call if the message has none.

    Raises:
        BadInput: A line is not such a row, or no row can be imported.
    """
    cases: list[Case] = []
    left_out: list[str] = []
    for number, (place, row) in enumerate(read_lines(text, where="rows"), start=1):
        messages = row.get("messages")
        if not isinstance(messages, list):
            raise BadInput(place, "no list of messages")
        row_id = str(row.get("id") or f"row-{number}")
        answer_index = _answer_index(cast(list[_Fields], messages))
        if answer_index is None:
            left_out.append(f"{row_id}: no assistant message follows a user message")
            continue
        cases.append(parse_case(_document(row_id, row, answer_index, place), suite=name, where=place))
    if not cases:
        raise BadInput("rows", "no row can be imported", "; ".join(left_out[:1]))
    return ImportedSuite(suite=Suite(name=name, cases=tuple(cases)), left_out=tuple(left_out))


def export_openai(suite: Suite) -> ExportedSuite:
    """Export a suite as rows of OpenAI messages. The last assistant message has the expected calls."""
    rows: list[Any] = []
    left_out: list[str] = []
    for case in suite.cases:
        expressed = next((each for each in case.expectations if _expected_message(each) is not None), None)
        answer = _expected_message(expressed) if expressed else None
        if expressed is None or answer is None:
            left_out.append(f"{case.id}: its expectations cannot be expressed as one message")
            continue
        left_out.extend(f"{case.id}: {line}" for line in _not_expressed(case.expectations, expressed))
        system = [{"role": "system", "content": case.system}] if case.system else []
        messages = [_written(message, case.messages[:index]) for index, message in enumerate(case.messages)]
        rows.append({"id": case.id, "messages": [*system, *messages, answer], "tools": list(case.tool_specs)})
    return ExportedSuite(files={FILE: write_lines(rows)}, left_out=tuple(left_out))


def _answer_index(messages: list[_Fields]) -> int | None:
    """Return the index of the last assistant message that follows a user message, or None without such a message."""
    roles = [message.get("role") for message in messages]
    for index in range(len(messages) - 1, 0, -1):
        if roles[index - 1 : index + 1] == ["user", "assistant"]:
            return index
    return None


def _document(row_id: str, row: _Fields, answer_index: int, place: str) -> dict[str, Any]:
    messages = cast(list[_Fields], row["messages"])
    names = {
        call.get("id"): _called(call, place)["name"]
        for message in messages
        for call in message.get("tool_calls") or ()
    }
    calls = [_expected(_called(call, place)) for call in messages[answer_index].get("tool_calls") or ()]
    return {
        "id": row_id,
        "messages": [_read(message, names, place) for message in messages[:answer_index]],
        "tool_specs": row.get("tools") or [],
        "max_rounds": 1,
        "expect": [{"calls": calls} if calls else {"no_call": True}],
    }


def _expected(call: _Fields) -> dict[str, Any]:
    arguments = call["arguments"]
    if isinstance(arguments, dict):
        arguments = {name: exactly(value) for name, value in cast(_Fields, arguments).items()}
    return {**call, "arguments": arguments}


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


def _expected_message(expectation: Expectation) -> dict[str, Any] | None:
    """Return the message that fulfils the expectation, or None if several different messages would."""
    if expectation.no_call:
        return {"role": "assistant", "content": ""}
    if not expectation.calls:
        return None
    calls: list[dict[str, Any]] = []
    for pattern in expectation.calls:
        arguments = pattern.arguments
        if not isinstance(pattern.name, str) or arguments is None or pattern.arguments_schema:
            return None
        if any(isinstance(condition, dict) for condition in arguments.values()):
            return None
        for _ in range(pattern.count):
            calls.append(_tool_call(pattern.name, arguments, len(calls)))
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _not_expressed(expectations: Sequence[Expectation], expressed: Expectation) -> Iterator[str]:
    """Yield what the message of the expectation `expressed` does not express."""
    for expectation in expectations:
        if expectation is not expressed:
            yield f"a message cannot express {expectation.kind}"
    if any(pattern.optional for pattern in expressed.calls or ()):
        yield "a message cannot express optional arguments"
    if expressed.in_order:
        yield "a message does not require an order of calls"
    if expressed.allow_extra:
        yield "a message cannot allow other calls"


def _tool_call(name: str, arguments: _Fields, number: int) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": f"call_{number}", "type": "function", "function": function}


def _written(message: Message, before: tuple[Message, ...]) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.calls:
        first = sum(len(earlier.calls) for earlier in before)
        written["tool_calls"] = [
            _tool_call(call.name, call.arguments, first + index) for index, call in enumerate(message.calls)
        ]
    if message.role is Role.TOOL:
        written["tool_call_id"] = f"call_{sum(earlier.role is Role.TOOL for earlier in before)}"
        written["name"] = message.name
    return written
