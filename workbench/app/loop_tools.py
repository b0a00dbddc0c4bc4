"""Tools that the loop answers itself: `todo`, `memory`, `session_search` and `delegate_task`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
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
from workbench.toolbox.entry import ToolAnswer

if TYPE_CHECKING:
    from workbench.store.memories import MemoryStore
    from workbench.store.sessions.search import SearchStore


FEW: Final = 5
"""How many sessions a call returns if it does not say how many."""
MANY: Final = 50
"""The most sessions that a call returns."""


class SessionSearch:
    """Answers `session_search` with the store's search.

    Args:
        search: Searches the owner's sessions.
        session_id: The current session, which is left out.
    """

    def __init__(self, search: SearchStore, session_id: str) -> None:
        self._search = search
        self._session_id = session_id

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """Return the sessions that match, in the order of the page's search."""
        query, limit = str(arguments.get("query", "")), arguments.get("limit")
        count = min(limit, MANY) if isinstance(limit, int) else FEW
        if not query.strip() or count < 1:
            return {"sessions": []}
        # One more than requested, because the current session may be among them.
        found = self._search.find(query, limit=count + 1)
        others = [result for result in found if result.session.id != self._session_id]
        return {"sessions": [_summary(result) for result in others[:count]]}


def _summary(result: FoundSession) -> JsonObject:
    snippet = result.snippet.text if result.snippet else ""
    return {"session_id": result.session.id, "title": result.session.title, "snippet": snippet}


MOST_NOTES: Final = 100
MAX_NOTE_CHARS: Final = 500


class Memory:
    """Answers `memory` for one owner."""

    def __init__(self, memories: MemoryStore, owner: Owner) -> None:
        self._memories = memories
        self._owner = owner

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """List, add, replace or remove notes."""
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
"""The rule that is recorded for such a result, where others record a mock rule."""

LoopTool = Callable[[JsonObject], JsonValue | ToolAnswer]
"""A function from the arguments to the result. A result with the key `error` is a failure."""


class LoopToolbox:
    """Runs calls of tools that the loop answers itself, and passes other calls on.

    See `workbench.rollout.ports.Toolbox`.

    Args:
        inner: Runs all other calls.
        tools: The tools that the loop answers itself, by name.
    """

    def __init__(self, inner: Toolbox, tools: Mapping[str, LoopTool]) -> None:
        self._inner = inner
        self._tools = tools

    def run(self, call: ToolCall) -> ToolRun:
        """Run one call."""
        tool = self._tools.get(call.name)
        return self._inner.run(call) if tool is None else _run_loop_tool(tool, call)

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """Run the calls of a round and yield their results in the same order."""
        # The calls of a delegated task may change the world, so what comes after it must wait.
        for is_delegated, part in groupby(calls, lambda call: call.name == DELEGATE):
            together = list(part)
            yield from map(self.run, together) if is_delegated else self._run_part(together)

    def _run_part(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        others = self._inner.run_round([call for call in calls if call.name not in self._tools])
        for call in calls:
            tool = self._tools.get(call.name)
            yield next(others) if tool is None else _run_loop_tool(tool, call)


def _run_loop_tool(tool: LoopTool, call: ToolCall) -> ToolRun:
    started_s = perf_counter()
    try:
        value = tool(call.arguments)
    except WorkbenchError as error:
        value = {"error": str(error)}
    answer = value if isinstance(value, ToolAnswer) else ToolAnswer(value=value)
    is_error = isinstance(answer.value, Mapping) and "error" in answer.value
    result = ToolResult(text=json.dumps(answer.value, ensure_ascii=False), is_error=is_error)
    return ToolRun(
        result=result,
        milliseconds=(perf_counter() - started_s) * 1000,
        rule=LOOP,
        world_patch=answer.world_patch or (),
    )


TODO = "todo"


class Todo:
    """Answers `todo`. The list starts as the last result in the conversation, so each branch has its own list.

    Args:
        messages: The conversation so far.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self._todos: dict[str, JsonObject] = {}
        for message in reversed(messages):
            if message.role is Role.TOOL and message.name == TODO and (todos := _todos_of(message.text)):
                self._todos = todos
                break

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """Update the list with the given items, and return the whole list."""
        items = arguments.get("todos")
        if isinstance(items, list | tuple):
            updates = {str(as_object(item).get("id")): as_object(item) for item in items}
            self._todos = {**self._todos, **updates} if arguments.get("merge") is True else updates
        todos = list(self._todos.values())
        done = sum(1 for todo in todos if todo.get("status") == "completed")
        return {"todos": todos, "summary": {"total": len(todos), "completed": done}}


def _todos_of(text: str) -> dict[str, JsonObject]:
    try:
        loaded = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return {}
    listed = loaded.get("todos") if isinstance(loaded, Mapping) else None
    todos = listed if isinstance(listed, list) else []
    return {str(as_object(todo).get("id")): as_object(todo) for todo in todos}


DELEGATE: Final = "delegate_task"
MAX_ROUNDS: Final = 4
"""The most completions of a delegated task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegate:
    """Answers `delegate_task` with a nested rollout, which cannot delegate again."""

    setup: RunConfig
    date: str
    """Today's date, as `{{ date }}` shows it."""
    engine: Engine
    toolbox: Toolbox
    clock: Clock
    is_cancelled: Callable[[], bool]
    """Returns True once a person has stopped the turn."""

    def __call__(self, arguments: JsonObject) -> ToolAnswer:
        """Run the task and return its answer, with what its calls changed in the world."""
        setup = replace(
            self.setup,
            disabled_tools=self.setup.disabled_tools | {DELEGATE},
            tool_choice="auto",
            max_rounds=min(MAX_ROUNDS, self.setup.max_rounds),
        )
        task = "\n\n".join(str(arguments[key]) for key in ("goal", "context") if arguments.get(key))
        conversation = Conversation(
            messages=(
                Message(role=Role.SYSTEM, text=setup.parsed().system_text(date=self.date)),
                Message(role=Role.USER, text=task),
            )
        )
        turn = Turn(
            setup=setup.parsed().turn_setup(),
            engine=self.engine,
            toolbox=self.toolbox,
            clock=self.clock,
            is_cancelled=self.is_cancelled,
        )
        return _outcome(turn, conversation)


def _outcome(turn: Turn, conversation: Conversation) -> ToolAnswer:
    patch: list[JsonObject] = []
    value = _answer(turn, conversation, patch)
    return ToolAnswer(value=value, world_patch=tuple(patch))


def _answer(turn: Turn, conversation: Conversation, patch: list[JsonObject]) -> JsonValue:
    """Run the task, and add to `patch` what its calls change."""
    reading: Reading | None = None
    called: list[str] = []
    ended = ""
    try:
        for event in run_rollout(turn, conversation):
            if isinstance(event, CompletionEnded):
                reading = event.reading
            elif isinstance(event, ToolFinished):
                called.append(event.call.name)
                patch += event.run.world_patch
            elif isinstance(event, TurnEnded):
                ended = event.reason
    except EngineError as error:
        return {"error": f"the delegated task failed: {error}", "calls": called}
    answer = "".join(reading.prose).strip() if reading else ""
    result: dict[str, JsonValue] = {"answer": answer, "calls": called}
    return result if ended == "answered" else {**result, "error": f"it ended without an answer: {ended}"}
