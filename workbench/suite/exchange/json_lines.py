"""JSON Lines, as the files of others are written."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from workbench.chat.json_value import load_json
from workbench.errors import BadInput


def read_lines(text: str, *, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object with the place that it stands at; blank lines are passed over.

    Raises:
        BadInput: A line is no JSON object.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{where}, line {number}"
        try:
            value = load_json(line)
        except ValueError as error:
            raise BadInput(place, f"not JSON: {error}") from error
        if not isinstance(value, dict):
            raise BadInput(place, "not a JSON object")
        yield place, cast(dict[str, Any], value)


def write_lines(rows: Iterable[object]) -> str:
    """One JSON value a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
