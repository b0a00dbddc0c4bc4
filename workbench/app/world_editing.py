"""The world of a session at a message, and its change by a person on a new branch."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue, load_json
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.records.session_world import world_at
from workbench.records.sessions import StoredMessage, copy_of, index_on
from workbench.toolspec.world.patches import patch_between
from workbench.toolspec.world.session_world import checked_worlds

_WHERE = "the world"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldMoment:
    """The world before and after a message and the results of its calls."""

    last: StoredMessage
    """The message, or the last result of its calls."""
    before: JsonObject = field(hash=False)
    after: JsonObject = field(hash=False)


def world_moment(
    services: Services, setup: RunConfig, path: Sequence[StoredMessage], message_id: str | None
) -> WorldMoment | None:
    """Return the world at a message of a path, or at its end. None if there is no message or no world.

    A toolset whose world no call has needed yet has the world that it declares.

    Raises:
        BadInput: The stored changes do not fit, or the tools of the setup cannot be read.
    """
    if not path:
        return None
    start = services.tools.world_start(setup.offered_tools().names)
    place = next((index for index, stored in enumerate(path) if stored.id == message_id), len(path) - 1)
    first = last = place
    while path[first].message.role is Role.TOOL:
        first -= 1
    while last + 1 < len(path) and path[last + 1].message.role is Role.TOOL:
        last += 1
    before, after = world_at(path[:first]), world_at(path[: last + 1])
    if not start and not after:
        return None
    return WorldMoment(last=path[last], before={**start, **before}, after={**start, **after})


def edit_world(
    services: Services, session_id: str, path: Sequence[StoredMessage], message_id: str, text: str
) -> StoredMessage:
    """Store a copy of a message on a new branch, after which the world is another one. Return the copy.

    Args:
        path: The path to the message, root first.
        message_id: The message after which the world is changed.
        text: The new world as JSON, by toolset. A toolset that it leaves out starts again with the world it declares.

    Raises:
        BadInput: The text is not a JSON object, a world violates its schema, or the message is not on the path.
        StoreError: The branch could not be stored.
    """
    place = index_on(path, message_id)
    world = checked_worlds(_object(text), services.tools.registry.worlds())
    changed = replace(copy_of(path[place]), world_patch=patch_between(dict(world_at(path[:place])), world))
    return services.sessions.append(session_id, changed, parent_id=path[place].parent_id)


def _object(text: str) -> JsonObject:
    try:
        value: JsonValue = load_json(text)
    except ValueError as error:
        raise BadInput(_WHERE, f"it is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadInput(_WHERE, "it is not an object", 'write the world of each toolset, as {"shop": {…}}')
    return cast(JsonObject, value)
