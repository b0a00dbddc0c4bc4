"""Write a changed row so that all bytes of it stay but those of the entries that changed or were added.

A row that is written from its trajectory has the keys, the order and the white space of its format. If somebody
corrected one of twenty messages, the other nineteen must not change. So the values of the changed entries are
replaced in the text of the original row:

    {"messages": [{"role": "user", "content":"Hi"}, {"role": "assistant", "content": "Yo"}], "n": 1.0}
                                                    ^ replaced                              ^
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonValue, pointer_parts
from workbench.chat.message import Role
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.trajectory import RowMessage, Trajectory, is_same_message, is_same_trajectory

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


class ReadRow(NamedTuple):
    """A row with what it was read as."""

    row: TrainingRow
    trajectory: Trajectory


class Patch(NamedTuple):
    """A row whose changed entries are replaced, between them those that were added."""

    text: str
    """The row as JSON."""
    changed: frozenset[int]
    """Indices of the written messages in replaced and added entries; those of the rejected answer count after the
    others."""
    meanings: Sequence[tuple[RowMessage, ...]]
    """What each message may be read back as."""
    size: int
    """Number of messages without those of the rejected answer."""

    def is_read_as(self, kept: Trajectory, old: Trajectory) -> bool:
        """Whether the text was read as the old row with the changed messages, and with nothing else changed."""
        messages = _all(kept)
        return (
            len(kept.messages) == self.size
            and len(messages) == len(self.meanings)
            and is_same_trajectory(_bare(kept), _bare(old))
            and all(
                any(is_same_message(message, meaning) for meaning in meanings)
                for message, meanings in zip(messages, self.meanings, strict=True)
            )
        )


def patched(text: str, old: ReadRow, meant: Trajectory, new: ReadRow, own: Sequence[int]) -> Patch | None:
    """Replace the entries that changed and insert those that were added, or return None if more than that changed.

    What the format would write differently in the other entries does not count, such as a mask under another name.
    The caller must read the text, and ask `Patch.is_read_as`.

    Args:
        text: The original row as JSON.
        old: The original row.
        meant: The conversation to write.
        new: This conversation as a row of the same format that is written completely.
        own: For each message of the original row, its index in the conversation to write. Others were added.
    """
    before, wanted = _all(old.trajectory), _all(meant)
    if len(before) != len(own) or not is_same_trajectory(_bare(old.trajectory), _bare(meant)):
        return None
    written = [
        *_last(new.trajectory.messages, len(meant.messages)),
        *_last(new.trajectory.rejected, len(meant.rejected)),
    ]
    written = _in_order_of(wanted, written)
    added = set(range(len(wanted))) - {*own}
    edits = _edits(old, new, before, [wanted[index] for index in own], written, own, added)
    if edits is None:
        return None
    spans = _spans(text, [edit.pointer for edit in edits])
    for edit in sorted(edits, key=lambda edit: spans[edit.pointer], reverse=True):
        start, end = spans[edit.pointer]
        values = [json.dumps(value, ensure_ascii=False) for value in edit.values]
        kept = [] if edit.is_replaced else [text[start:end]]
        parts = [*kept, *values] if edit.is_after else [*values, *kept]
        text = text[:start] + ", ".join(parts) + text[end:]
    # The pairing of calls and results may change what an unchanged result is read as.
    changed = frozenset(added | {index for edit in edits for index in edit.messages})
    old_at = dict(zip(own, before, strict=True))
    meanings = [
        tuple(message for message in (None if index in changed else old_at[index], after) if message)
        for index, after in enumerate(written)
    ]
    return Patch(text, changed, meanings, len(meant.messages))


class _Edit(NamedTuple):
    """What happens at one entry of the original row."""

    pointer: str
    values: tuple[JsonValue, ...]
    """The entries to write."""
    messages: tuple[int, ...]
    """Indices of the messages in them."""
    is_replaced: bool
    """Whether the original entry is left out."""
    is_after: bool = False
    """Whether the entries are written after the original one, and not before it."""


def _edits(
    old: ReadRow,
    new: ReadRow,
    before: Sequence[RowMessage],
    after: Sequence[RowMessage],
    written: Sequence[RowMessage | None],
    own: Sequence[int],
    added: set[int],
) -> list[_Edit] | None:
    """Return what to change in the entries; None if an entry was joined with others, or split.

    Args:
        old: The original row.
        new: The row as it is written completely.
        before: The messages of the original row.
        after: What each of them becomes.
        written: The messages of the new row, by their indices in the conversation to write.
        own: These indices for `before`.
        added: These indices for the messages that were added.
    """
    groups: dict[int, list[int]] = {}
    for index, message in enumerate(written):
        if message is not None:
            groups.setdefault(message.place, []).append(index)
    unclean = set(_unclean(old))
    places: dict[int, list[int]] = {}
    for order, message in enumerate(before):
        places.setdefault(message.place, []).append(order)
    edits: list[_Edit] = []
    left = set(added)
    for place, orders in places.items():
        first = written[own[orders[0]]]
        group = [] if first is None else groups[first.place]
        joins = [index for index in group if index in added]
        if place not in unclean and not joins and all(_is_unchanged(before[it], after[it]) for it in orders):
            continue
        # Entries that the format joins or splits cannot be replaced one by one.
        if first is None or sorted({*group} - {*joins}) != sorted(own[it] for it in orders):
            return None
        left -= {*joins}
        value = _value_at(new.row.fields, _pointer(new.row, first.place))
        edits.append(_Edit(_pointer(old.row, place), (value,), tuple(group), is_replaced=True))
    for index in sorted(left):
        message = written[index]
        if message is None or not added.issuperset(groups[message.place]):
            return None
        if groups[message.place][0] != index:
            continue
        follows = next((order for order, place in enumerate(own) if place > index), None)
        anchor = before[-1 if follows is None else follows].place
        value = _value_at(new.row.fields, _pointer(new.row, message.place))
        edits.append(
            _Edit(_pointer(old.row, anchor), (value,), (index,), is_replaced=False, is_after=follows is None)
        )
    return _merged(edits)


def _merged(edits: Sequence[_Edit]) -> list[_Edit]:
    """Join the edits of one place: what is inserted before an entry that is replaced itself."""
    merged: dict[str, _Edit] = {}
    for edit in edits:
        other = merged.get(edit.pointer)
        if other is None:
            merged[edit.pointer] = edit
            continue
        # A replaced entry comes first in the list; what is inserted before it goes before its value.
        is_last = edit.is_after or not other.is_replaced
        end = len(other.values) if is_last else len(other.values) - 1
        values = (*other.values[:end], *edit.values, *other.values[end:])
        messages = (*other.messages, *edit.messages)
        merged[edit.pointer] = other._replace(values=values, messages=messages)
    return [*merged.values()]


def _in_order_of(
    wanted: Sequence[RowMessage], written: Sequence[RowMessage | None]
) -> list[RowMessage | None]:
    """Return the written messages in the order of those that were wanted: results may have been reordered by id."""
    ordered = [*written]
    start = 0
    for is_tool, run in groupby(wanted, key=lambda message: message.role is Role.TOOL):
        end = start + len([*run])
        if is_tool:
            by_id = {_result_id(message): message for message in written[start:end]}
            ids = [_result_id(message) for message in wanted[start:end]]
            if None not in ids and by_id.keys() == {*ids} and len(by_id) == end - start:
                ordered[start:end] = [by_id[one] for one in ids]
        start = end
    return ordered


def _result_id(message: RowMessage | None) -> str | None:
    return message.result.id if message is not None and message.result is not None else None


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
    # A row without Hermes' texts has no text of the whole message.
    has_same_text = one.text is None or one.text == other.text
    own, others = ([call.arguments_text for call in message.calls] for message in (one, other))
    return is_same_message(one, other) and has_same_text and own == others


def _pointer(row: TrainingRow, place: int) -> str:
    return next(entry.pointer for entry in row.all_entries if entry.place == place)


def _value_at(value: JsonValue, pointer: str) -> JsonValue:
    for name in pointer_parts(pointer):
        value = value[int(name)] if isinstance(value, list) else cast(Mapping[str, JsonValue], value)[name]
    return value


def _spans(text: str, wanted: Collection[str]) -> Mapping[str, tuple[int, int]]:
    """Return the positions of the values at these pointers. Of a key that is there twice, the last counts."""
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
    return found
