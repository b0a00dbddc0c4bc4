"""A toolbox that answers the loop's own tools itself, and hands on the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall, ToolResult
from workbench.errors import WorkbenchError
from workbench.records.owner import Owner
from workbench.records.session_tree import FoundSession
from workbench.rollout.ports import Toolbox, ToolRun

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
