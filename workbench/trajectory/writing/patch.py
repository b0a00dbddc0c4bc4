"""Write a changed row so that all bytes of it stay but those of the entries that changed.

A row that is written from its trajectory has the keys, the order and the white space of its format. If somebody
corrected one of twenty messages, the other nineteen must not change. So the values of the changed entries are
replaced in the text of the original row:

    {"messages": [{"role": "user", "content":"Hi"}, {"role": "assistant", "content": "Yo"}], "n": 1.0}
                                                    ^ replaced                              ^
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from workbench.chat.json_value import JsonValue
from workbench.trajectory.row import RowEntry, TrainingRow
from workbench.trajectory.trajectory import RowMessage, Trajectory, is_same_message

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


def patched(
    text: str, old: tuple[TrainingRow, Trajectory], new: tuple[TrainingRow, Trajectory]
) -> str | None:
    """Return the text of a row with the entries that changed, or None if more than entries changed.

    The caller must read the text, and compare it with `new`.

    Args:
        text: The original row as JSON.
        old: The original row, and what it was read as.
        new: The row as it is to be written, in the same format, and what it is read as.
    """
    entries = list(zip(old[0].all_entries, new[0].all_entries, strict=False))
    pointers = [entry.pointer for entry in old[0].all_entries]
    if len(set(pointers)) < len(pointers) or pointers != [entry.pointer for entry in new[0].all_entries]:
        return None
    before, after = _by_place(old[1]), _by_place(new[1])
    wanted = {
        one.pointer: _value_at(new[0].fields, one.pointer)
        for one, other in entries
        if not _is_same(one, before.get(one.place, []), other, after.get(other.place, []))
    }
    for (start, end), value in sorted(_spans(text, wanted).items(), reverse=True):
        text = text[:start] + json.dumps(value, ensure_ascii=False) + text[end:]
    return text


def _by_place(trajectory: Trajectory) -> Mapping[int, list[RowMessage]]:
    messages: dict[int, list[RowMessage]] = {}
    for message in trajectory.messages + trajectory.rejected:
        messages.setdefault(message.place, []).append(message)
    return messages


def _is_same(
    one: RowEntry, messages: Sequence[RowMessage], other: RowEntry, others: Sequence[RowMessage]
) -> bool:
    """Whether two entries mean the same, and the first is written as its format requires."""
    return (
        one.text == other.text
        and len(messages) == len(others)
        and all(map(is_same_message, messages, others))
        and not any(call.fixes or call.problem for call in one.calls)
    )


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
