"""Whether the arguments of many calls can share the columns of one table."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.losses import LARGEST

_DEEPEST: Final = 50
"""Levels of nesting beyond which arguments are written as text, whatever their kinds."""


class ArgumentTypes:
    """What kinds of values each argument has had so far, over all tools, as Arrow merges them.

    Memory grows with the number of different paths, not with the number of calls.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._is_mixed = False

    def add(self, trajectory: Trajectory) -> None:
        """Take in the calls of one trajectory."""
        for message in trajectory.messages + trajectory.rejected:
            if self._is_mixed or message.role is not Role.ASSISTANT:
                continue
            for call in message.calls:
                for path, kind in _kinds(call.arguments, ""):
                    self._is_mixed |= self._kinds.setdefault(path, kind) != kind or kind == "big"

    @property
    def spelling(self) -> Literal["object", "text"]:
        """How arguments are to be written: as they are, or as text where kinds mix or a number is too big.

        *Source:* TRL's notes on tools in data sets; Arrow has one type a column.
        """
        return "text" if self._is_mixed else "object"


def _kinds(value: JsonValue, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if depth > _DEEPEST:
        yield path, "big"
    elif isinstance(value, Mapping):
        yield path, "object"
        for name, inner in cast(JsonObject, value).items():
            yield from _kinds(inner, f"{path}/{name}", depth + 1)
    elif isinstance(value, list | tuple):
        yield path, "array"
        for inner in value:
            yield from _kinds(inner, f"{path}/-", depth + 1)
    elif type(value) is int and not -LARGEST - 1 <= value <= LARGEST:
        yield path, "big"
    else:
        yield path, type(value).__name__
