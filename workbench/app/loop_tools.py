"""Tools that the loop answers itself: `todo`, `memory`, `session_search` and `delegate_task`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Conversation, Message, Role, ToolCall, ToolResult
from workbench.errors import EngineError, WorkbenchError
from workbench.hermes.reading import Reading
from workbench.records.owner import Owner
from workbench.records.run_config import RunConfig
from workbench.records.session_tree import FoundSession
from workbench.rollout.events import CompletionEnded, ToolFinished, TurnEnded
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.ports import Clock, Engine, Toolbox, ToolRun

if TYPE_CHECKING:
    from workbench.store.memories import MemoryStore
    from workbench.store.search import SearchStore


FEW: Final = 5
"""Sessions that are given where the call does not say how many."""
MANY: Final = 50
"""Most sessions that a call is given."""


class SessionSearch:
    """Answers `session_search` by the store's own search.

    Args:
        search: Finds the owner's.
        session_id: The open one; it is left out.
    """

    def __init__(self, search: SearchStore, session_id: str) -> None:
        self._search = search
        self._session_id = session_id

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """Sessions with all the words in one message, a title or tags, as the page's search orders them."""
        query, limit = str(arguments.get("query", "")), arguments.get("limit")
        wanted = min(limit, MANY) if isinstance(limit, int) else FEW
        if not query.strip() or wanted < 1:
            return {"sessions": []}
        # One more than is wanted, for the open one may be among them.
        found = self._search.find(query, limit=wanted + 1)
        others = [one for one in found if one.session.id != self._session_id]
        return {"sessions": [_told(one) for one in others[:wanted]]}


def _told(one: FoundSession) -> JsonObject:
    snippet = one.snippet.text if one.snippet else ""
    return {"session_id": one.session.id, "title": one.session.title, "snippet": snippet}


MOST_NOTES: Final = 100
MAX_NOTE_CHARS: Final = 500


class Memory:
    """Answers `memory` for one owner."""

    def __init__(self, memories: MemoryStore, owner: Owner) -> None:
        self._memories = memories
        self._owner = owner

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """Lists, adds, replaces or removes a note."""
        notes = list(self._memories.notes(self._owner))
        action, content = arguments.get("action"), str(arguments.get("content") or "").strip()
        if action == "list":
            return {"notes": notes}
        if action in ("add", "replace") and not 0 < len(content) <= MAX_NOTE_CHARS:
            return {"error": f"content: 1 to {MAX_NOTE_CHARS} characters"}
        if action == "add":
            if len(notes) >= MOST_NOTES:
                return {"error": f"memory is full: {MOST_NOTES} notes"}
            notes += [] if content in notes else [content]
        else:
            old = str(arguments.get("old_text") or "")
            found = [place for place, note in enumerate(notes) if old and old in note]
            if len(found) != 1:
                return {
                    "error": f"old_text must be part of exactly one note; it is part of {len(found)}",
                    "notes": notes,
                }
            notes[found[0] : found[0] + 1] = [content] if action == "replace" else []
        self._memories.save_notes(self._owner, notes)
        return {"notes": notes}


LOOP = "answered by the loop"
"""Said instead of a mock rule."""

LoopTool = Callable[[JsonObject], JsonValue]
"""Takes the arguments, gives the result; an object with `error` is a failure."""


class LoopToolbox:
    """Runs calls; see `workbench.rollout.ports.Toolbox`.

    Args:
        inner: Runs all calls but the loop's own.
        tools: The loop's own tools by name.
    """

    def __init__(self, inner: Toolbox, tools: Mapping[str, LoopTool]) -> None:
        self._inner = inner
        self._tools = tools

    def run(self, call: ToolCall) -> ToolRun:
        """The call's result."""
        tool = self._tools.get(call.name)
        return self._inner.run(call) if tool is None else _answered(tool, call)

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """The results in order; the loop's own are worked out one after the other."""
        others = self._inner.run_round([call for call in calls if call.name not in self._tools])
        for call in calls:
            tool = self._tools.get(call.name)
            yield next(others) if tool is None else _answered(tool, call)


def _answered(tool: LoopTool, call: ToolCall) -> ToolRun:
    started_s = perf_counter()
    try:
        value = tool(call.arguments)
    except WorkbenchError as error:
        value = {"error": str(error)}
    is_error = isinstance(value, Mapping) and "error" in value
    result = ToolResult(text=json.dumps(value, ensure_ascii=False), is_error=is_error)
    return ToolRun(result=result, milliseconds=(perf_counter() - started_s) * 1000, rule=LOOP)


TODO = "todo"


class Todo:
    """The list as the conversation's last result has it, so that a branch has its own.

    Args:
        messages: The conversation up to now.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self._todos: dict[str, JsonObject] = {}
        for message in reversed(messages):
            if message.role is Role.TOOL and message.name == TODO and (todos := _todos_of(message.text)):
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


DELEGATE: Final = "delegate_task"
MAX_ROUNDS: Final = 4
"""Completions that a delegated task may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegate:
    """Answers `delegate_task`; the nested assistant cannot delegate again."""

    setup: RunConfig
    date: str
    """Today, as the contract shows it."""
    engine: Engine
    toolbox: Toolbox
    clock: Clock
    """Who tells how long it took."""
    is_cancelled: Callable[[], bool]
    """True once a person has stopped the parent's turn."""

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """The nested rollout's answer."""
        setup = replace(
            self.setup,
            disabled_tools=self.setup.disabled_tools | {DELEGATE},
            tool_choice="auto",
            max_rounds=min(MAX_ROUNDS, self.setup.max_rounds),
        )
        said = "\n\n".join(str(arguments[key]) for key in ("goal", "context") if arguments.get(key))
        conversation = Conversation(
            messages=(
                Message(role=Role.SYSTEM, text=setup.system_text(date=self.date)),
                Message(role=Role.USER, text=said),
            )
        )
        turn = Turn(
            setup=setup.turn_setup(),
            engine=self.engine,
            toolbox=self.toolbox,
            clock=self.clock,
            is_cancelled=self.is_cancelled,
        )
        return _outcome(turn, conversation)


def _outcome(turn: Turn, conversation: Conversation) -> JsonValue:
    reading: Reading | None = None
    called: list[str] = []
    ended = ""
    try:
        for event in run_rollout(turn, conversation):
            if isinstance(event, CompletionEnded):
                reading = event.reading
            elif isinstance(event, ToolFinished):
                called.append(event.call.name)
            elif isinstance(event, TurnEnded):
                ended = event.reason
    except EngineError as error:
        return {"error": f"the delegated task failed: {error}", "calls": called}
    answer = "".join(reading.prose).strip() if reading else ""
    result: dict[str, JsonValue] = {"answer": answer, "calls": called}
    return result if ended == "answered" else {**result, "error": f"it ended without an answer: {ended}"}
