"""`todo`: the plan of one conversation, kept nowhere but in its own results."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Message, Role

NAME = "todo"


class Todo:
    """The list as the conversation's last result has it, so that a branch has its own.

    Args:
        messages: The conversation up to now.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self._todos: dict[str, JsonObject] = {}
        for message in reversed(messages):
            if message.role is Role.TOOL and message.name == NAME and (todos := _todos_of(message.text)):
                self._todos = todos
                break

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """Writes what is given, and gives the list back."""
        given = arguments.get("todos")
        if isinstance(given, list | tuple):
            fresh = {str(as_object(one).get("id")): as_object(one) for one in given}
            self._todos = {**self._todos, **fresh} if arguments.get("merge") is True else fresh
        todos = list(self._todos.values())
        done = sum(1 for one in todos if one.get("status") == "completed")
        return {"todos": todos, "summary": {"total": len(todos), "completed": done}}


def _todos_of(text: str) -> dict[str, JsonObject]:
    try:
        loaded = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return {}
    listed = loaded.get("todos") if isinstance(loaded, Mapping) else None
    todos = listed if isinstance(listed, list) else []
    return {str(as_object(one).get("id")): as_object(one) for one in todos}
