"""Write a changed row so that all bytes of it stay but those of the entries that changed.

A row that is written from its trajectory has the keys, the order and the white space of its format. If somebody
corrected one of twenty messages, the other nineteen must not change. So the values of the changed entries are
replaced in the text of the original row:

    {"messages": [{"role": "user", "content":"Hi"}, {"role": "assistant", "content": "Yo"}], "n": 1.0}
                                                    ^ replaced                              ^
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonValue
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.trajectory import RowMessage, Trajectory, is_same_message, is_same_trajectory

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


class ReadRow(NamedTuple):
    """A row with what it was read as."""

    row: TrainingRow
    trajectory: Trajectory


class Patch(NamedTuple):
    """A row whose changed entries are replaced."""

    text: str
    """The row as JSON."""
    changed: frozenset[int]
    """Indices of the messages in the replaced entries; those of the rejected answer count after the others."""
    meanings: Sequence[tuple[RowMessage, ...]]
    """What each message may be read back as."""

    def is_read_as(self, kept: Trajectory, old: Trajectory) -> bool:
        """Whether the text was read as the old row with the changed messages, and with nothing else changed."""
        messages = _all(kept)
        return (
            len(kept.messages) == len(old.messages)
            and len(messages) == len(self.meanings)
            and is_same_trajectory(_bare(kept), _bare(old))
            and all(
                any(is_same_message(message, meaning) for meaning in meanings)
                for message, meanings in zip(messages, self.meanings, strict=True)
            )
        )


def patched(text: str, old: ReadRow, meant: Trajectory, new: ReadRow) -> Patch | None:
    """Replace the entries that changed, or return None if more than entries changed.

    What the format would write differently in the other entries does not count, such as a mask under another name.
    The caller must read the text, and ask `Patch.is_read_as`.

    Args:
        text: The original row as JSON.
        old: The original row.
        meant: The conversation to write.
        new: This conversation as a row of the same format that is written completely.
    """
    before, wanted = _all(old.trajectory), _all(meant)
    if len(before) != len(wanted) or not is_same_trajectory(_bare(old.trajectory), _bare(meant)):
        return None
    written = [
        *_last(new.trajectory.messages, len(meant.messages)),
        *_last(new.trajectory.rejected, len(meant.rejected)),
    ]
    unclean = set(_unclean(old))
    places = {
        one.place
        for one, other in zip(before, wanted, strict=True)
        if one.place in unclean or not _is_unchanged(one, other)
    }
    values: dict[str, JsonValue] = {}
    for place in places:
        own = [index for index, message in enumerate(before) if message.place == place]
        target = written[own[0]]
        # Entries that the format joins or splits cannot be replaced one by one.
        if target is None or own != [
            index for index, message in enumerate(written) if message and message.place == target.place
        ]:
            return None
        values[_pointer(old.row, place)] = _value_at(new.row.fields, _pointer(new.row, target.place))
    for (start, end), value in sorted(_spans(text, values).items(), reverse=True):
        text = text[:start] + json.dumps(value, ensure_ascii=False) + text[end:]
    # The pairing of calls and results may change what an unchanged result is read as.
    meanings = [
        tuple(message for message in ((after,) if one.place in places else (one, after)) if message)
        for one, after in zip(before, written, strict=True)
    ]
    changed = frozenset(index for index, message in enumerate(before) if message.place in places)
    return Patch(text, changed, meanings)


def _all(trajectory: Trajectory) -> tuple[RowMessage, ...]:
    return trajectory.messages + trajectory.rejected


def _bare(trajectory: Trajectory) -> Trajectory:
    return replace(trajectory, messages=(), rejected=())


def _last(messages: Sequence[RowMessage], count: int) -> list[RowMessage | None]:
    """Return the last messages. Formats only add or leave out messages at the beginning; None stands for those."""
    return [*[None] * (count - len(messages)), *messages[max(len(messages) - count, 0) :]]


def _unclean(old: ReadRow) -> Iterator[int]:
    """Yield the places of entries that are not written as the format requires: their calls need fixes."""
    texts = {message.place: message.text for message in _all(old.trajectory) if message.text is not None}
    for entry in old.row.all_entries:
        if texts.get(entry.place, entry.text) != entry.text or any(
            call.fixes or call.problem for call in entry.calls
        ):
            yield entry.place


def _is_unchanged(one: RowMessage, other: RowMessage) -> bool:
    return is_same_message(one, other) and (one.text, [call.arguments_text for call in one.calls]) == (
        other.text,
        [call.arguments_text for call in other.calls],
    )


def _pointer(row: TrainingRow, place: int) -> str:
    return next(entry.pointer for entry in row.all_entries if entry.place == place)


def _value_at(value: JsonValue, pointer: str) -> JsonValue:
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else cast(Mapping[str, JsonValue], value)[name]
    return value


def _spans(text: str, wanted: Mapping[str, JsonValue]) -> Mapping[tuple[int, int], JsonValue]:
    """Return the new values by the position of the old ones. Of a key that is there twice, the last counts."""
    found: dict[str, tuple[int, int]] = {}

    def skip(position: int) -> int:
        match = _SPACE.match(text, position)
        return match.end() if match else position

    def read(position: int, pointer: str) -> int:
        """Find the values below `pointer`, which begin at `position`; return the end of the value."""
        is_within = any(name.startswith(f"{pointer}/") for name in wanted)
        if pointer in wanted or not is_within or text[position] not in "{[":
            end = _DECODER.raw_decode(text, position)[1]
            if pointer in wanted:
                found[pointer] = position, end
            return end
        close, place = "}" if text[position] == "{" else "]", 0
        position = skip(position + 1)
        while text[position] != close:
            name = str(place)
            if close == "}":
                name, position = _DECODER.raw_decode(text, position)
                position = skip(skip(position) + 1)  # the colon
            position = skip(read(position, f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"))
            position, place = skip(position + (text[position] == ",")), place + 1
        return position + 1

    read(skip(0), "")
    return {span: wanted[pointer] for pointer, span in found.items()}
