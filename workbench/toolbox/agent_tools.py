"""Specs of the tools that the agent loop answers itself: plan, memory, session search and delegation.

They are registered like all other tools. The loop answers their calls before dispatch; a call that reaches
dispatch anyway gets an error.

*Source:* hermes-agent runtime, "Agent-loop tools" (see `docs/explanation/background.md`).
"""

from collections.abc import Mapping
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolbox.entry import ToolEntry, build_spec

TOOLSET: Final = "agent"

_TODO: Final[JsonObject] = {
    "description": "Keep a list of tasks for this conversation. Without todos, get the list.",
    "parameters": {
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "description": "Tasks to write",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "description": "Tells one task from another"},
                        "content": {"type": "string", "description": "What is to be done"},
                        "status": {
                            "type": "string",
                            "enum": ["pending", "in_progress", "completed", "cancelled"],
                            "description": "How far it is",
                        },
                    },
                    "required": ["id", "content", "status"],
                    "additionalProperties": False,
                },
            },
            "merge": {
                "type": "boolean",
                "description": "Keep tasks of other ids; false replaces all",
            },
        },
        "additionalProperties": False,
    },
}
_MEMORY: Final[JsonObject] = {
    "description": "Remember short notes for later conversations, or forget them.",
    "parameters": {
        "type": "object",
        "properties": {
            "action": {
                "type": "string",
                "enum": ["list", "add", "replace", "remove"],
                "description": "What to do",
            },
            "content": {"type": "string", "description": "The note to add, or the new text"},
            "old_text": {"type": "string", "description": "A part of the note to replace or remove"},
        },
        "required": ["action"],
        "additionalProperties": False,
    },
}
_SESSION_SEARCH: Final[JsonObject] = {
    "description": "Search earlier conversations for words.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": "Words to look for"},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 20,
                "description": "Most conversations, else 5",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    },
}
_DELEGATE: Final[JsonObject] = {
    "description": "Give a task to a fresh assistant with the same tools, and get its answer.",
    "parameters": {
        "type": "object",
        "properties": {
            "goal": {"type": "string", "minLength": 1, "description": "What it should come to"},
            "context": {
                "type": "string",
                "description": "What it must know; it sees nothing of this conversation",
            },
        },
        "required": ["goal"],
        "additionalProperties": False,
    },
}
_SCHEMAS: Final[Mapping[str, tuple[JsonObject, str]]] = {
    "todo": (_TODO, "📋"),
    "memory": (_MEMORY, "🧠"),
    "session_search": (_SESSION_SEARCH, "🗂️"),
    "delegate_task": (_DELEGATE, "🤝"),
}


def agent_entries() -> tuple[ToolEntry, ...]:
    """Return the registry entries of the four tools."""
    return tuple(
        ToolEntry(spec=build_spec(name, schema, ""), toolset=TOOLSET, handler=_Stub(name), emoji=emoji)
        for name, (schema, emoji) in _SCHEMAS.items()
    )


class _Stub:
    """Handler that returns an error, because the loop should have answered the call."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, _arguments: Mapping[str, JsonValue]) -> JsonObject:
        return {"error": f"{self._name} must be handled by the agent loop"}
