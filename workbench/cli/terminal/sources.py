"""Read files and standard input byte for byte: texts, JSON, rows and tool lists."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.toolspec.spec import OfferedTools

TOOLS_HELP = "Toolset, tool or JSON file; repeatable."
"""Help of the option, the same for all commands."""


def select_tools(selectors: Sequence[str] | None) -> OfferedTools | None:
    """The tools of toolsets, tools and files; None where none are named.

    Raises:
        BadInput: A selector is neither a toolset, a tool nor a readable file.
    """
    if not selectors:
        return None
    from workbench.library.home_files import find_folder
    from workbench.toolbox.catalog import Catalog

    settings = read_settings()
    # Without MCP servers: reading a text should not start programs.
    catalog = Catalog(find_folder("tools_catalog", settings.home), environment=settings.environment)
    return catalog.select_files(selectors)


STANDARD_INPUT = "-"
"""How a person names standard input."""


class Row(NamedTuple):
    """One line of a JSONL source."""

    number: int
    """Line, from 1."""
    fields: JsonObject


def read_text(source: str) -> str:
    """All of a file or of standard input; line breaks stay as they are.

    Raises:
        BadInput: It cannot be opened, or is not UTF-8.
    """
    with _opened(source) as file:
        return _decoded(file.read(), f"file {source}")


def read_json(source: str, *, what: str) -> JsonValue:
    """The JSON value of a file or of standard input.

    Args:
        source: A path, or `-`.
        what: What it holds, for the message.

    Raises:
        BadInput: It cannot be opened or is not JSON; it names line and column.
    """
    text = read_text(source)
    try:
        return _loaded(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"{what} {source}", f"not JSON: {error.msg} at {place}") from error


def read_rows(source: str) -> Iterator[Row | BadInput]:
    """Each line that is not blank as a row, in constant memory; an unreadable one as the error that says why.

    Raises:
        BadInput: The source cannot be opened.
    """
    with _opened(source) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield _row(number, line)


def _row(number: int, line: bytes) -> Row | BadInput:
    where = f"row {number}"
    try:
        value = _loaded(_decoded(line, where))
    except BadInput as error:
        return error
    except json.JSONDecodeError as error:
        return BadInput(where, f"not JSON: {error.msg} at column {error.colno}")
    if not isinstance(value, dict):
        return BadInput(where, "not a JSON object", 'write {"id": …, "text": …}')
    return Row(number, value)


def _loaded(text: str) -> JsonValue:
    """What `json.loads` gives; all that it can raise is a JSONDecodeError."""
    try:
        return cast(JsonValue, json.loads(text))
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        # Too deep, or an integer of more digits than Python converts.
        raise json.JSONDecodeError(f"{str(error)[:60]}", text, 0) from error


def _opened(source: str) -> "nullcontext[BinaryIO] | BinaryIO":
    if source == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(source).expanduser().open("rb")
    except OSError as error:
        raise BadInput(f"file {source}", str(error.strerror or error)) from error


def _decoded(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(where, f"not UTF-8 at byte {error.start}") from error
