"""A case made from a turn of a session: what was said, and what the model did, to be wanted again."""

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message
from workbench.records.sessions import KeptMessage
from workbench.records.setup import Setup
from workbench.records.versions import NewVersion, Version, VersionKind
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_case, parse_suite, render_suite
from workbench.toolspec.spec import OfferedTools

OWN_SUITE: Final = "mine"
"""Where cases go that are made by one click."""
_ID_CHARS: Final = 12


def case_of_turn(setup: Setup, path: Sequence[KeptMessage], message_id: str | None = None) -> JsonObject:
    """The case of one turn, as it stands in a suite.

    What the model called first is wanted; where it called nothing, nothing may be called. Look at it before
    you trust it: a model's mistake is wanted again as well.

    Args:
        setup: Of the session.
        path: Its messages, from the root.
        message_id: Any message of the turn; None takes the last turn.

    Raises:
        BadInput: There is no such turn, or nothing answers it.
    """
    ids = [one.id for one in path]
    if message_id is not None and message_id not in ids:
        raise BadInput(f"message {message_id!r}", "it is not on this path")
    end = ids.index(message_id) + 1 if message_id else len(path)
    asked = next((place for place in reversed(range(end)) if path[place].message.role is Role.USER), None)
    answer = path[asked + 1] if asked is not None and asked + 1 < len(path) else None
    if asked is None or answer is None:
        raise BadInput("case", "nothing answers this turn", "send it first")
    tools = setup.offered_tools()
    calls = read_message(answer.message, tools=tools).calls
    wanted = [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]
    messages = [one for one in path[: asked + 1] if one.message.role is not Role.SYSTEM]
    document: dict[str, Any] = {
        "id": path[asked].id[:_ID_CHARS],
        "messages": [_written(one, tools) for one in messages],
        "tool_specs": [spec.document for spec in tools.specs],
        "tags": ["session"],
        "max_rounds": 1,
        "expect": [{"calls": wanted} if wanted else {"no_call": True}],
    }
    if len(messages) == 1:
        document["prompt"] = document.pop("messages")[0]["content"]
    # Equal to what a suite's file gives: plain JSON.
    return cast(JsonObject, json.loads(json.dumps(document)))


def add_case(services: Services, document: JsonObject, *, suite: str = OWN_SUITE) -> Version:
    """A new version of the suite with the case in it; one of the same id gives way.

    Raises:
        BadInput: The case or the suite cannot be read.
        StoreError: It could not be kept.
    """
    case = parse_case(document, suite=suite)
    found = services.versions.find(VersionKind.SUITE, suite)
    known = parse_suite(found.text, name=suite) if found else Suite(name=suite, cases=())
    kept = tuple(one for one in known.cases if one.id != case.id)
    whole = Suite(name=suite, description=known.description, cases=(*kept, case))
    new = NewVersion(
        kind=VersionKind.SUITE, name=suite, text=render_suite(whole), message=f"case {case.id} of a session"
    )
    return services.versions.save(new)


def _written(one: KeptMessage, tools: OfferedTools) -> dict[str, Any]:
    message = one.message
    written: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.role is Role.TOOL and message.name:
        written["name"] = message.name
    if message.calls:
        calls = read_message(message, tools=tools).calls
        written["calls"] = [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]
    return written
