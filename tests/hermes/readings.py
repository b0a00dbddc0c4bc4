"""Load the rows of the corpus and parse them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.toolspec.spec import OfferedTools, ToolSpec

CORPUS = Path(__file__).parent.parent / "corpus"
FILES = ("readings.jsonl", "own_readings.jsonl")
Row = Mapping[str, Any]

TOOLS = OfferedTools(
    specs=tuple(ToolSpec(document=document) for document in json.loads((CORPUS / "tools.json").read_text()))
)


def rows() -> list[Row]:
    """Return all rows of all files."""
    found = [json.loads(line) for name in FILES for line in (CORPUS / name).read_text().splitlines()]
    assert len(found) > 200
    return found


def parse_options(row: Row) -> dict[str, Any]:
    """Return the arguments of `parse` for a row."""
    return {
        "tools": TOOLS,
        "level": row.get("level", "tolerant"),
        "dialect": row.get("dialect", "auto"),
        "finish_reason": row.get("finish_reason", "stop"),
        "starts_in_thought": row.get("starts_in_thought", False),
    }


def read(row: Row, **changed: Any) -> Reading:
    """Parse a row, with some arguments changed."""
    text = changed.pop("text", row["text"])
    return parse(text, **{**parse_options(row), **changed})


def calls_of(reading: Reading) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in reading.calls]


def is_clean(row: Row) -> bool:
    return not row["fixes"] and not row["findings"]
