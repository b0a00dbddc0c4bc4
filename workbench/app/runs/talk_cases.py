"""Save a whole conversation of a session as a case: what the person said becomes a script."""

import json
from collections.abc import Sequence
from typing import Any, cast

from workbench.app.runs.casting import call_pattern, offered_toolsets
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message
from workbench.records.run_config import RunConfig
from workbench.records.session_world import world_at
from workbench.records.sessions import StoredMessage
from workbench.toolspec.conditions import exactly
from workbench.toolspec.world.patches import ChangeKind, world_changes


def case_of_conversation(services: Services, setup: RunConfig, path: Sequence[StoredMessage]) -> JsonObject:
    """Return the case of a conversation in the form of a suite's file.

    The case expects the calls of the model and what they changed in the world. Its solution is what the model wrote.
    Check it before you use it: if the model made a mistake, the case expects the same mistake.

    Args:
        path: The messages, root first.

    Raises:
        BadInput: The conversation has no answer.
    """
    said = [stored for stored in path if stored.message.role is Role.USER]
    written = [stored.message for stored in path if stored.message.role is Role.ASSISTANT]
    if not said or not written:
        raise BadInput("case", "the conversation has no answer", "send a message first")
    tools = setup.offered_tools()
    readings = [read_message(message, tools=tools) for message in written]
    calls = [call_pattern(call.name, call.arguments) for reading in readings for call in reading.calls]
    names = offered_toolsets(services, setup)
    document: dict[str, Any] = {
        "id": said[0].id[:12],
        "user": {
            "goal": said[0].message.text,
            "script": [stored.message.text for stored in said],
        },
        **({"tools": list(names)} if names else {"tool_specs": [spec.document for spec in tools.specs]}),
        "tags": ["session", "conversation"],
        "solution": [
            {
                "text": "".join(reading.prose).strip(),
                "calls": [{"name": call.name, "arguments": dict(call.arguments)} for call in reading.calls],
            }
            for reading in readings
        ],
        "expect": [{"calls": calls} if calls else {"no_call": True}, *_world(services, setup, path)],
    }
    # Only plain JSON values, as they are read from a suite's file.
    return cast(JsonObject, json.loads(json.dumps(document)))


def _world(services: Services, setup: RunConfig, path: Sequence[StoredMessage]) -> list[JsonObject]:
    """Return what is expected of the world. Empty if the tools have none."""
    start = services.tools.world_start(setup.offered_tools().names)
    if not start:
        return []
    changes = world_changes(start, {**start, **world_at(path)})
    if not changes:
        return [{"world_unchanged": True}]
    return [
        {
            "world": {
                change.place: None if change.kind is ChangeKind.REMOVED else exactly(change.after)
                for change in changes
            }
        }
    ]
