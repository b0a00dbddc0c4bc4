"""`workbench parse`: what the reader makes of a completion, or of many."""

import sys
from typing import Annotated

import typer

from workbench.app.requests.reading import ParseRequest, reading_fields, request_of_row
from workbench.cli.reader.reading_text import reading_lines
from workbench.cli.terminal.json_lines import write_json_line
from workbench.cli.terminal.paint import terminal_paint
from workbench.cli.terminal.sources import STANDARD_INPUT, read_rows, read_text
from workbench.cli.terminal.tools_option import TOOLS_HELP, select_tools
from workbench.errors import BadInput
from workbench.hermes.reading import Dialect, Level, Reading

REFUSED = 1
"""Exit code where strict refused a block."""
UNREADABLE = 2
"""Exit code where a row could not be used."""


def parse(
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="- reads standard input.")] = STANDARD_INPUT,
    tools: Annotated[list[str] | None, typer.Option(help=TOOLS_HELP)] = None,
    dialect: Annotated[Dialect, typer.Option(help="Body that the family writes.")] = Dialect.AUTO,
    level: Annotated[Level, typer.Option(help="How much may be repaired.")] = Level.TOLERANT,
    finish_reason: Annotated[str, typer.Option(help="Why the completion ended; `length` cuts.")] = "stop",
    starts_in_thought: Annotated[
        bool, typer.Option("--starts-in-thought", help="The prompt ended inside <think>.")
    ] = False,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Read a request a line, print a reading a line.")
    ] = False,
) -> None:
    """Read a completion: its calls, every fix with its edits, every finding. Exit 1 where strict refuses."""
    request = ParseRequest(
        tools=select_tools(tools),
        dialect=dialect,
        level=level,
        finish_reason=finish_reason,
        starts_in_thought=starts_in_thought,
    )
    if jsonl:
        code = _parse_rows(source, request)
    else:
        reading = request.read(read_text(source))
        code = _exit_code(reading, level)
        _print_reading(reading, is_json=json_output)
    if code:
        raise typer.Exit(code)


def _parse_rows(source: str, given: ParseRequest) -> int:
    """Answers each row as it comes; the exit code of them all."""
    code = 0
    for row in read_rows(source):
        if isinstance(row, BadInput):
            print(f"workbench: {row}", file=sys.stderr)
            code = UNREADABLE
            continue
        try:
            request = request_of_row(row.fields, given)
        except BadInput as error:
            print(f"workbench: row {row.number}, {error}", file=sys.stderr)
            code = UNREADABLE
            continue
        reading = request.read(request.text)
        write_json_line({"id": row.fields.get("id"), **reading_fields(reading)})
        code = max(code, _exit_code(reading, request.level))
    return code


def _print_reading(reading: Reading, *, is_json: bool) -> None:
    if is_json:
        write_json_line(reading_fields(reading))
        return
    for line in reading_lines(reading, terminal_paint()):
        print(line)


def _exit_code(reading: Reading, level: Level) -> int:
    return REFUSED if level is Level.STRICT and reading.dropped else 0
