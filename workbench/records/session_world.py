"""The world of a session at one of its messages."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.records.sessions import StoredMessage
from workbench.toolspec.world.patches import replayed

NO_WORLD: Final[JsonObject] = MappingProxyType({})
"""Nothing has changed a world yet."""


def world_at(path: Iterable[StoredMessage]) -> JsonObject:
    """Return the world after a path of messages, by toolset. Empty if none of them changed anything.

    Raises:
        BadInput: The stored changes do not fit.
    """
    patches = [stored.world_patch for stored in path if stored.world_patch]
    return replayed(patches) if patches else NO_WORLD
