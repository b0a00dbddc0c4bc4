"""Save a whole conversation of a session as a case, with the person drafted from what they said."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, cast

from workbench.app.runs.casting import call_pattern, case_id, offered_toolsets
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message
from workbench.records.run_config import RunConfig
from workbench.records.session_world import world_at, world_at_start
from workbench.records.sessions import StoredMessage
from workbench.toolspec.conditions import exactly
from workbench.toolspec.world.patches import ChangeKind, merge_patch_between, world_changes


def case_of_conversation(services: Services, setup: RunConfig, path: Sequence[StoredMessage]) -> JsonObject:
    """Return the case of a conversation in the form of a suite's file.

    The case starts with the world of the conversation, and expects the calls of the model and what they changed in the
    world. Its solution is what the model wrote. Its person says the same again, or is acted by a model that knows the
    drafted goal and facts. Check it before you use it: if the model made a mistake, the case expects the same mistake.

    Args:
        path: The messages, root first.

    Raises:
        BadInput: The conversation has no answer, or a person changed its world in the middle.
    """
    said = [stored for stored in path if stored.message.role is Role.USER]
    written = [stored.message for stored in path if stored.message.role is Role.ASSISTANT]
    if not said or not written:
        raise BadInput("case", "the conversation has no answer", "send a message first")
    tools = setup.offered_tools()
    readings = [read_message(message, tools=tools) for message in written]
    calls = [call_pattern(call.name, call.arguments) for reading in readings for call in reading.calls]
    names = offered_toolsets(services, setup)
    declared = services.tools.world_start(tools.names)
    start = {**declared, **world_at_start(path)}
    document: dict[str, Any] = {
        "id": case_id(said[0]),
        "user": {**_drafted(path), "script": [stored.message.text for stored in said]},
        **({"tools": list(names)} if names else {"tool_specs": [spec.document for spec in tools.specs]}),
        **({"world": merge_patch_between(declared, start)} if start != declared else {}),
        "tags": ["session", "conversation"],
        "solution": [
            {
                "text": "".join(reading.prose).strip(),
                "calls": [{"name": call.name, "arguments": dict(call.arguments)} for call in reading.calls],
            }
            for reading in readings
        ],
        "expect": [{"calls": calls} if calls else {"no_call": True}, *_world(start, path)],
    }
    # Only plain JSON values, as they are read from a suite's file.
    return cast(JsonObject, json.loads(json.dumps(document)))


def _world(start: JsonObject, path: Sequence[StoredMessage]) -> list[JsonObject]:
    """Return what is expected of the world. Empty if the tools have none."""
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


def _drafted(path: Sequence[StoredMessage]) -> dict[str, Any]:
    """Return the goal, the first message and the facts of a person who says what was said.

    What answers a question of the model is a fact with the question's words as its name: "What is your mail address?"
    and "It's ana@example.org." give `mail address: ana@example.org`. What answers none belongs to the goal.
    """
    goal, facts, heard = list[str](), dict[str, Any](), ""
    for stored in path:
        text = stored.message.text.strip()
        if stored.message.role is Role.ASSISTANT:
            heard = text
        elif stored.message.role is Role.USER:
            asked = [word for word in re.findall(r"\w+", _last_question(heard)) if not _NO_NAMES.match(word)]
            if goal and _IS_REPLY.match(text):
                continue
            if not asked:
                goal.append(text)
            else:
                values = _IDENTIFIER.findall(text)
                name = " ".join(asked[:_MOST_WORDS])
                pattern = rf"(?i)\b(?:{'|'.join(asked)})"
                facts[name] = {"value": values[0] if len(values) == 1 else text, "asked": pattern}
    return {"goal": " ".join(goal), "first": goal[0], **({"facts": facts} if facts else {})}


def _last_question(text: str) -> str:
    """Return the last question of a text in small letters. Empty if there is none."""
    questions = re.findall(r"[^.!?\n]*\?", text.lower())
    return questions[-1] if questions else ""


_MOST_WORDS: Final = 3
_NO_NAMES: Final = re.compile(
    r"(?:an?|and|are|can|could|do|does|for|give|how|in?|is|it|me|my|of|on|or|please|tell|that|the|there|this|to|want"
    r"|was|what|when|where|which|who|will|would|you|your|s)\Z"
)
"""Words of questions that never name a fact."""
_IS_REPLY: Final = re.compile(
    r"(?i)(?:yes|yeah|yep|no|nope|ok|okay|sure|thanks|thank you|great|right|correct|(?:good)?bye)\b"
)
_IDENTIFIER: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b(?=[\w-]*\d)[\w-]+")
"""A mail address, or a word with a digit, such as `O-101`."""
