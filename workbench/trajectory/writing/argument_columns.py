"""How arguments fit the columns of Arrow, which have one type each and integers of 64 bits."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.trajectory.trajectory import Call, Trajectory
from workbench.trajectory.writing.row_draft import TEXT_BREAKS, Addition, Loss, RowDraft

LARGEST: Final = 2**63 - 1
"""The largest integer of an Arrow column, and of most readers of JSON."""


def report_big_integers(draft: RowDraft) -> None:
    """Report integers beyond 64 bits in arguments that are written as objects: Arrow cannot hold them.

    Arguments that are written as text can hold them, but some chat templates cannot read text.
    """
    if draft.options.arguments == "text":
        if any(message.calls for message, _results in draft.rounds()):
            draft.note(Addition.ARGUMENTS_AS_TEXT, detail=TEXT_BREAKS)
        return
    for message, _results in draft.rounds():
        if any(_is_big(call.arguments) for call in message.calls):
            draft.note(Loss.BIG_INTEGERS, message.place)


def _is_big(value: JsonValue) -> bool:
    if isinstance(value, int):
        return not -LARGEST - 1 <= value <= LARGEST
    if isinstance(value, Mapping):
        return any(_is_big(inner) for inner in cast(JsonObject, value).values())
    return isinstance(value, list) and any(_is_big(inner) for inner in value)


_DEEPEST: Final = 50
"""Maximum nesting of arguments that are written as objects; deeper ones are written as text."""


class ArgumentTypes:
    """Collects the types of each argument over all tools, as Arrow merges them into one column type.

    Memory grows with the number of different paths, not with the number of calls.

    Args:
        mixes: Whether an argument may have several types, as in a Parquet column of JSON. A number that is too large
            can be in no column.
    """

    def __init__(self, *, mixes: bool = False) -> None:
        self._mixes = mixes
        self._kinds: dict[str, str] = {}
        self._is_mixed = False
        self._are_all_fixed = True

    def add(self, trajectory: Trajectory, *, is_fixed: bool = False) -> None:
        """Add the calls of one trajectory.

        Args:
            trajectory: The trajectory that is written.
            is_fixed: The row is written with its original bytes. If all rows are, their form is theirs.
        """
        self._are_all_fixed &= is_fixed
        for path, kind in self._new_kinds(trajectory, is_fixed=is_fixed):
            self._is_mixed |= kind == "big" or self._kinds.setdefault(path, kind) != kind

    def has_seen(self, trajectory: Trajectory) -> bool:
        """Whether adding a trajectory that is not fixed changes nothing, as is so for most rows of a file."""
        return not self._are_all_fixed and next(self._new_kinds(trajectory, is_fixed=False), None) is None

    def _new_kinds(self, trajectory: Trajectory, *, is_fixed: bool) -> Iterator[tuple[str, str]]:
        """Yield paths and types that matter and that no earlier call has; nothing once types are mixed."""
        for message in trajectory.messages + trajectory.rejected:
            for call in message.calls if not self._is_mixed else ():
                for path, kind in _kinds(_written(call, is_fixed=is_fixed), ""):
                    if kind == "big" if self._mixes else self._kinds.get(path) != kind:
                        yield path, kind

    @property
    def form(self) -> Literal["object", "text"]:
        """How to write arguments: as text if types are mixed or a number is too large, otherwise as objects.

        *Source:* https://huggingface.co/docs/trl/dataset_formats on tool calling; an Arrow column has one type.
        """
        return "text" if self._is_mixed and not self._are_all_fixed else "object"


def _written(call: Call, *, is_fixed: bool) -> JsonValue:
    """Return the arguments as they are in the row."""
    return call.arguments_text if is_fixed and call.arguments_text is not None else call.arguments


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
