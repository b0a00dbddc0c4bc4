"""Show the world of a session: what each call changed in it, and all of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, values_in
from workbench.chat.short_text import shortened
from workbench.errors import BadInput
from workbench.records.session_world import world_steps
from workbench.records.sessions import StoredMessage
from workbench.toolspec.world.patches import WorldChange, world_changes
from workbench.ui.present.words import count

NO_SESSION: Final = "The world that tools read and change appears here, once a conversation has started."
NO_WORLD: Final = "None of the offered tools has a world. The toolsets shop, travel and desk have one."
MOST_CHANGES: Final = 20
"""Most changes of a call that the transcript shows."""
MOST_ROWS: Final = 2_000
"""Most values of a world that the pane lists."""
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """One value that a call or a person changed."""

    kind: str
    """`added`, `changed` or `removed`."""
    place: str
    before: str
    """As JSON. Empty if it was added."""
    after: str
    """As JSON. Empty if it was removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldRow:
    """One text, number, boolean, null or empty value of the world."""

    place: str
    value: str
    """As JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldView:
    """The world after a message."""

    message_id: str = ""
    """The message whose world the pane loads on demand. Empty if there is none."""
    is_known: bool = False
    """False if the world has not been loaded. A pane with a message loads it once it is visible."""
    hint: str = NO_SESSION
    """Shown if there is no world."""
    last_id: str = ""
    """The message that an edit copies to a new branch."""
    changes: tuple[ChangeRow, ...] = ()
    """What the message and its calls changed."""
    rows: tuple[WorldRow, ...] = ()
    note: str = ""
    """How many values are not listed. Empty if all are."""
    text: str = ""
    """The whole world as indented JSON, for editing."""
    can_edit: bool = False


def ask_world(path: Sequence[StoredMessage], message_id: str | None) -> WorldView:
    """Show the pane before the world is loaded."""
    return WorldView(message_id=message_id or path[-1].id) if path else WorldView()


def no_world(message_id: str, problem: str = NO_WORLD) -> WorldView:
    """Show why there is no world."""
    return WorldView(message_id=message_id, is_known=True, hint=problem)


def show_world(
    message_id: str, last_id: str, before: JsonObject, after: JsonObject, *, can_edit: bool
) -> WorldView:
    """Show the world after a message.

    Args:
        last_id: The message that an edit copies: the message, or the last result of its calls.
        before: The world before the message.
    """
    leaves = [
        WorldRow(place=place, value=_json(value)) for place, value in values_in(after) if _is_leaf(value)
    ]
    more = len(leaves) - MOST_ROWS
    return WorldView(
        message_id=message_id,
        is_known=True,
        last_id=last_id,
        changes=tuple(_rows(world_changes(before, after))),
        rows=tuple(leaves[:MOST_ROWS]),
        note=f"{count(more, 'more value')} are not listed. Edit shows all of them." if more > 0 else "",
        text=json.dumps(after, ensure_ascii=False, indent=2),
        can_edit=can_edit,
    )


def changes_by_message(path: Sequence[StoredMessage]) -> Mapping[str, tuple[ChangeRow, ...]]:
    """Return what each message of a path changed, by its id. Messages that changed nothing are left out."""
    try:
        return {
            stored.id: tuple(_rows(world_changes(before, after)))
            for stored, before, after in world_steps(path)
        }
    except BadInput:
        # The changes of a damaged row. The World pane says what is wrong.
        return {}


def show_changes(before: JsonValue, after: JsonValue) -> tuple[ChangeRow, ...]:
    """Show what differs between two worlds."""
    return tuple(_rows(world_changes(before, after)))


def _rows(changes: Sequence[WorldChange]) -> Iterator[ChangeRow]:
    for change in changes[:MOST_CHANGES]:
        yield ChangeRow(
            kind=change.kind.value,
            place=change.place or "/",
            before="" if change.kind == "added" else _json(change.before),
            after="" if change.kind == "removed" else _json(change.after),
        )
    if len(changes) > MOST_CHANGES:
        more = count(len(changes) - MOST_CHANGES, "more change")
        yield ChangeRow(kind="changed", place=more, before="", after="")


def _is_leaf(value: JsonValue) -> bool:
    return not (isinstance(value, dict | list) and value)


def _json(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else shortened(text)
