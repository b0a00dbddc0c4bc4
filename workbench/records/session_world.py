"""The world of a session at one of its messages."""

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Final

from workbench.chat.json_value import JsonObject, pointer_parts
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.sessions import StoredMessage
from workbench.toolspec.world.patches import replayed

NO_WORLD: Final[JsonObject] = MappingProxyType({})
"""Nothing has changed a world yet."""


def world_steps(
    path: Iterable[StoredMessage],
) -> Iterator[tuple[StoredMessage, JsonObject, JsonObject]]:
    """Yield each message that changed the world, with the world before and after it.

    A world that begins with a call is before it what its toolset declares, so that only what the call changed differs.

    Raises:
        BadInput: The stored changes do not fit.
    """
    world = NO_WORLD
    for stored in path:
        if stored.world_patch:
            started = [operation for operation in stored.world_patch if _begins(operation, world)]
            before = replayed([tuple(started)], world)
            world = replayed([stored.world_patch], world)
            yield stored, before, world


def _begins(operation: JsonObject, world: JsonObject) -> bool:
    """Whether an operation adds the world of a toolset."""
    parts = pointer_parts(str(operation["path"]))
    return operation.get("op") == "add" and len(parts) == 1 and parts[0] not in world


def world_at(path: Iterable[StoredMessage]) -> JsonObject:
    """Return the world after a path of messages, by toolset. Empty if none of them changed anything.

    Raises:
        BadInput: The stored changes do not fit.
    """
    patches = [stored.world_patch for stored in path if stored.world_patch]
    return replayed(patches) if patches else NO_WORLD


def world_at_start(path: Iterable[StoredMessage]) -> JsonObject:
    """Return the worlds with which the calls of a path started, by toolset. Empty if no call needed any.

    What a person changed before the first call belongs to the start.

    Raises:
        BadInput: A person changed the world after a call, or the stored changes do not fit.
    """
    start, has_calls = NO_WORLD, False
    for stored, before, after in world_steps(path):
        if stored.message.role is Role.TOOL:
            start, has_calls = {**before, **start}, True
        elif has_calls:
            problem = "a person changed the world after a call"
            raise BadInput("the world", problem, "use a branch whose world was only changed by calls")
        else:
            start = after
    return start
