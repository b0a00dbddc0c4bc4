"""`workbench tools call`: one call, dispatched as a model's would be."""

import json
import sys
from typing import Annotated, cast

import typer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.cli.terminal.asking import TerminalApprover
from workbench.cli.terminal.json_lines import write_json_line
from workbench.cli.terminal.sources import read_json
from workbench.cli.tools.app import catalog_of_settings
from workbench.errors import BadInput


def call(
    name: Annotated[str, typer.Argument(help="The tool.")],
    arguments: Annotated[
        str, typer.Argument(help="A JSON object, or - to read it from standard input.")
    ] = "{}",
    seed: Annotated[int, typer.Option(min=0, help="For mocks that choose at random.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Runs one call and prints what the model would see. Exit code 1 where the tool failed."""
    from workbench.toolbox.task import ToolTask

    given = _arguments(arguments)
    with catalog_of_settings() as catalog:
        if catalog.registry.find(name) is None:
            known = ", ".join(one.name for one in catalog.availability())
            raise BadInput(f"tool {name!r}", "no such tool", f"there are {known}")
        task = ToolTask(seed=seed, approver=TerminalApprover())
        run = catalog.toolbox(task).run(ToolCall(name=name, arguments=given))
    if as_json:
        findings = [
            {"code": one.code, "pointer": one.pointer, "message": one.message} for one in run.findings
        ]
        result = cast(JsonValue, json.loads(run.result.text))
        write_json_line(
            {"result": result, "is_error": run.result.is_error, "rule": run.rule, "findings": findings}
        )
    else:
        for one in run.findings:
            print(f"{one.pointer}: {one.severity} {one.code}: {one.message}", file=sys.stderr)
        print(run.result.text)
        print(f"{run.rule or 'run by code'}, {run.milliseconds:.1f} ms", file=sys.stderr)
    if run.result.is_error:
        raise typer.Exit(1)


def _arguments(text: str) -> JsonObject:
    if text == "-":
        value = read_json("-", what="arguments")
    else:
        try:
            value = cast(JsonValue, json.loads(text))
        except (ValueError, RecursionError) as error:
            raise BadInput("arguments", f"not JSON: {error}", "quote it for your shell") from error
    if not isinstance(value, dict):
        raise BadInput("arguments", "no JSON object", 'write {"name": value}')
    return cast(JsonObject, value)
