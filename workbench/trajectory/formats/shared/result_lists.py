"""Read the results of parallel calls that are one JSON list, as LLaMA-Factory's users and ToolACE write them."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.hermes.marks import CALL_OPEN
from workbench.trajectory.row import RowEntry

_BETWEEN: Final = re.compile(r"[\s,]*+")
_scan: Final = json.JSONDecoder().raw_decode


def split_lists(entries: Sequence[RowEntry]) -> tuple[RowEntry, ...]:
    """Return the entries, with as many results in place of a JSON list of as many results as there were calls.

    Only a result that is alone after a message with several calls is split, and only if it has no id: an id says
    which of the calls it answers.
    """
    return tuple(
        [
            _split(entries, place) if entry.role is Role.TOOL and place else entry
            for place, entry in enumerate(entries)
        ]
    )


def _split(entries: Sequence[RowEntry], place: int) -> RowEntry:
    before, entry = entries[place - 1], entries[place]
    is_alone = place + 1 == len(entries) or entries[place + 1].role is not Role.TOOL
    if not is_alone or before.role is not Role.ASSISTANT or len(entry.results) != 1:
        return entry
    result = entry.results[0]
    calls = len(before.calls) + before.text.count(CALL_OPEN)
    if calls < 2 or result.id is not None or not result.text.lstrip().startswith("["):
        return entry
    items = list_items(result.text)
    if len(items) != calls:
        return entry
    return replace(
        entry, results=tuple(replace(result, text=item, envelope=None, is_item=True) for item in items)
    )


def list_items(text: str) -> list[str]:
    """Return the items of a JSON list, byte for byte; a text without its quotes. Empty if it is anything else.

    >>> list_items('[{"t": 1.50}, "sunny", [1]]')
    ['{"t": 1.50}', 'sunny', '[1]']
    """
    try:
        values = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return []
    items: list[str] = []
    position = text.find("[") + 1
    for value in values if isinstance(values, list) else ():
        match = _BETWEEN.match(text, position)
        start = match.end() if match else position
        position = _scan(text, start)[1]
        items.append(value if isinstance(value, str) else text[start:position])
    return items
