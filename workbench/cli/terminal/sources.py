"""Read files and standard input byte for byte: texts, JSON, rows and tool lists."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, NamedTuple, cast

import typer

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue, json_fault
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.toolspec.spec import OfferedTools

if TYPE_CHECKING:
    from workbench.app.services import Services
    from workbench.contract.contract import Contract
    from workbench.records.run_config import RunConfig

SourceArgument = Annotated[str, typer.Argument(metavar="FILE", help="Text to read, or - for standard input")]
ToolsOption = Annotated[
    list[str] | None,
    typer.Option("--tools", metavar="NAME|FILE", help="Toolset, tool or JSON file; repeatable"),
]


def select_tools(selectors: Sequence[str] | None) -> OfferedTools | None:
    """Return the selected tools, or None if there are no selectors. Print what is unusual in them to standard error.

    Args:
        selectors: Names of toolsets and tools, and JSON files.

    Raises:
        BadInput: A selector is neither a toolset, a tool nor a readable file.
    """
    if not selectors:
        return None
    from workbench.library.home_files import find_folder
    from workbench.toolbox.catalog import open_files
    from workbench.toolbox.local_code import ask_about

    settings = read_settings()
    # Without MCP servers: parsing a text should not start programs.
    folder = find_folder("tools_catalog", settings.home)
    ask_about(folder, settings)
    catalog = open_files(folder, settings)
    return _reported(catalog.select_files(selectors))


def _reported(tools: OfferedTools) -> OfferedTools:
    for finding in tools.findings:
        if finding.severity is not Severity.NOTE:
            place = f" (line {finding.line})" if finding.line else ""
            print(f"{finding.severity} {finding.code}: {finding.message}{place}", file=sys.stderr)
    return tools


def change_setup(
    services: "Services", setup: "RunConfig", *, contract: str | None, tools: Sequence[str], model: str | None
) -> "RunConfig":
    """Return a setup with the contract, tools and model that the options of a command name.

    Args:
        contract: A reference, such as `minimal@3`. None leaves the contract unchanged.
        tools: Names of toolsets and tools, and JSON files. Empty leaves the tools unchanged.
        model: None leaves the model unchanged.

    Raises:
        BadInput: The contract or a tool does not exist.
        StoreError: The versions cannot be read.
    """
    from workbench.toolspec.tools_text import render_tools

    setup = replace(setup, model=model or setup.model)
    if contract is not None:
        version = services.contract_version(contract)
        setup = replace(setup, contract_name=version.name, contract_text=version.text)
    if tools:
        tools_text = render_tools(_reported(services.tools.select_files(tools)))
        setup = replace(setup, tools_text=tools_text, disabled_tools=frozenset())
    return setup


def load_contract(reference: str) -> "Contract":
    """Return a contract by its reference: `minimal` is the newest version, `minimal@3` or `minimal@production` another.

    Raises:
        BadInput: There is no such contract or version, or it cannot be read.
        StoreError: The versions cannot be read.
    """
    from workbench.contract.contract import parse_contract
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        version = services.contract_version(reference)
    return parse_contract(version.text, name=version.name)


STANDARD_INPUT = "-"
"""The file name that means standard input."""


class Row(NamedTuple):
    """One line of a JSONL source."""

    number: int
    """Number of the line, from 1."""
    fields: JsonObject


def read_text(source: str) -> str:
    """Return the text of a file or of standard input, with its line breaks as they are.

    Raises:
        BadInput: The file cannot be opened, or is not UTF-8.
    """
    return _decode(read_bytes(source), f"file {source}")


def read_bytes(source: str) -> bytes:
    """Return the bytes of a file or of standard input.

    Args:
        source: A path, or `-`.

    Raises:
        BadInput: The file cannot be opened.
    """
    with _open(source) as file:
        return file.read()


def read_json(source: str, *, what: str) -> JsonValue:
    """Return the JSON value of a file or of standard input.

    Args:
        source: A path, or `-`.
        what: What the file contains, for error messages.

    Raises:
        BadInput: The file cannot be opened, or is not JSON. The message gives line and column.
    """
    text = read_text(source)
    try:
        return _parse_json(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"{what} {source}", f"not JSON: {json_fault(error)} at {place}") from error


def read_rows(source: str) -> Iterator[Row | BadInput]:
    """Yield each line that is not blank as a row, in constant memory. A line that cannot be read is yielded as an
    error.

    Raises:
        BadInput: The source cannot be opened.
    """
    with _open(source) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield _row(number, line)


def _row(number: int, line: bytes) -> Row | BadInput:
    where = f"row {number}"
    try:
        value = _parse_json(_decode(line, where))
    except BadInput as error:
        return error
    except json.JSONDecodeError as error:
        return BadInput(where, f"not JSON: {json_fault(error)} at column {error.colno}")
    if not isinstance(value, dict):
        return BadInput(where, "not a JSON object", 'write {"id": …, "text": …}')
    return Row(number, value)


def _parse_json(text: str) -> JsonValue:
    """Parse JSON. Raises only JSONDecodeError, whatever `json.loads` raises."""
    try:
        return cast(JsonValue, json.loads(text))
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        # Nested too deeply, or an integer with more digits than Python converts.
        raise json.JSONDecodeError(f"{str(error)[:60]}", text, 0) from error


def _open(source: str) -> "nullcontext[BinaryIO] | BinaryIO":
    if source == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(source).expanduser().open("rb")
    except OSError as error:
        raise BadInput(f"file {source}", str(error.strerror or error)) from error


def _decode(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(where, f"not UTF-8 at byte {error.start}") from error
