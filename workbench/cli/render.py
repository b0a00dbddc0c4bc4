"""`workbench render`: render the prompt of a family for given messages, byte for byte."""

import sys
from typing import Annotated

import typer

from workbench.app.requests.prompt import RenderRequest, rendered_row, request_of_row
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.sources import STANDARD_INPUT, TOOLS_HELP, read_json, read_rows, select_tools
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.spec import OfferedTools

UNREADABLE = 2
"""Exit code where a row could not be used."""


def render(
    source: Annotated[
        str, typer.Argument(metavar="FILE|-", help="With --jsonl: the rows; - reads standard input.")
    ] = STANDARD_INPUT,
    family: Annotated[str, typer.Option(help=f"One of {', '.join(FAMILIES)}.")] = "",
    messages: Annotated[
        str, typer.Option(metavar="FILE", help="JSON array of chat messages; - for standard input.")
    ] = "",
    tools: Annotated[list[str] | None, typer.Option(help=TOOLS_HELP)] = None,
    generation_prompt: Annotated[
        bool, typer.Option("--generation-prompt", help="Open the assistant's turn at the end.")
    ] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Read a request a line, print a prompt a line.")
    ] = False,
) -> None:
    """Print the bytes of a prompt and nothing else; findings go to standard error."""
    offered = select_tools(tools) or OfferedTools()
    given = RenderRequest(family=family, tools=offered, generation_prompt=generation_prompt)
    if jsonl:
        if _render_rows(source, given):
            raise typer.Exit(UNREADABLE)
        return
    if not family or not messages:
        raise BadInput("render", "--family and --messages are needed", "or --jsonl for rows")
    prompt, findings = given.render(read_json(messages, what="messages"))
    try:
        data = prompt.text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(
            f"messages {messages}", f"half a surrogate pair, {prompt.text[error.start]!r}, has no UTF-8"
        ) from error
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    for finding in findings:
        print(f"{finding.severity} {finding.code}: {finding.message}", file=sys.stderr)


def _render_rows(source: str, given: RenderRequest) -> bool:
    """Answers each row as it comes; True where one could not be used."""
    has_failed = False
    for row in read_rows(source):
        try:
            if isinstance(row, BadInput):
                raise row
            write_json_line(rendered_row(row.fields, request_of_row(row.fields, given)))
        except BadInput as error:
            where = "" if error is row else f"row {getattr(row, 'number', '')}, "
            print(f"workbench: {where}{error}", file=sys.stderr)
            has_failed = True
    return has_failed
