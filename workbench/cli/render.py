"""`workbench render`: render the prompt of a family for given messages, byte for byte."""

import sys
from typing import Annotated

import typer

from workbench.app.requests.prompt import RenderRequest, rendered_row, request_of_row
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.sources import STANDARD_INPUT, ToolsOption, read_json, read_rows, select_tools
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.spec import OfferedTools

UNREADABLE = 2
"""Exit code if a row could not be rendered."""


def render(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="With --jsonl: requests to read, or - for standard input")
    ] = STANDARD_INPUT,
    family: Annotated[
        str, typer.Option(metavar="FAMILY", help=f"Template family: {', '.join(FAMILIES)}")
    ] = "",
    messages: Annotated[
        str, typer.Option(metavar="FILE", help="JSON array of chat messages, or - for standard input")
    ] = "",
    tools: ToolsOption = None,
    generation_prompt: Annotated[
        bool, typer.Option("--generation-prompt", help="End with the beginning of the assistant's message")
    ] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Read one JSON request per line and print one prompt per line")
    ] = False,
) -> None:
    """Render chat messages as a prompt, byte for byte.

    Standard output contains only the prompt. Findings are printed on standard error.
    """
    offered = select_tools(tools) or OfferedTools()
    request = RenderRequest(family=family, tools=offered, generation_prompt=generation_prompt)
    if jsonl:
        if _render_rows(source, request):
            raise typer.Exit(UNREADABLE)
        return
    if not family or not messages:
        raise BadInput("render", "--family and --messages are required", "or use --jsonl for rows")
    prompt, findings = request.render(read_json(messages, what="messages"))
    try:
        data = prompt.text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(
            f"messages {messages}", f"a lone surrogate, {prompt.text[error.start]!r}, has no UTF-8 encoding"
        ) from error
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    for finding in findings:
        print(f"{finding.severity} {finding.code}: {finding.message}", file=sys.stderr)


def _render_rows(source: str, defaults: RenderRequest) -> bool:
    """Render each row as it arrives. Return whether any row failed.

    Args:
        defaults: The options, for rows that leave them out.
    """
    has_failed = False
    for row in read_rows(source):
        try:
            if isinstance(row, BadInput):
                raise row
            write_json_line(rendered_row(row.fields, request_of_row(row.fields, defaults)))
        except BadInput as error:
            where = "" if error is row else f"row {getattr(row, 'number', '')}, "
            print(f"workbench: {where}{error}", file=sys.stderr)
            has_failed = True
    return has_failed
