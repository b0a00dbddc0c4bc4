"""`memory`: short notes that outlive a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.records.owner import Owner

if TYPE_CHECKING:
    from workbench.store.memories import MemoryStore

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
