"""`workbench tools`: list, check, import, export and call tools."""

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.chat.near_names import did_you_mean
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, write_json_line
from workbench.cli.terminal.sources import read_json, read_text
from workbench.cli.terminal.stopping import TerminalApprover
from workbench.errors import BadInput
from workbench.toolspec.importers.chat_apis import FORMS, write_tools
from workbench.toolspec.importers.read import import_tools

if TYPE_CHECKING:
    from workbench.toolbox.catalog import Catalog
    from workbench.toolbox.catalog_file import CatalogToolset

ToolNames = Annotated[list[str], typer.Argument(metavar="NAME|FILE", help="Toolset, tool or JSON file")]
OutFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File to write", show_default="standard output")
]


@contextmanager
def catalog_of_settings() -> "Generator[Catalog]":
    """Open the catalog that the settings describe, and close it at the end.

    Raises:
        BadInput: `tools_catalog/` is missing, or one of its files cannot be read.
    """
    from workbench.library.home_files import find_folder
    from workbench.settings import read_settings
    from workbench.toolbox.catalog import open_catalog

    settings = read_settings()
    catalog = open_catalog(find_folder("tools_catalog", settings.home), settings)
    try:
        yield catalog
    finally:
        catalog.close()


def call(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the tool")],
    arguments: Annotated[
        str, typer.Argument(metavar="JSON", help="Arguments as a JSON object, or - for standard input")
    ] = "{}",
    seed: Annotated[int, typer.Option(min=0, help="Seed for mock tools that choose at random")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Call a tool and print the result that a model would get.

    Exit code 1 if the tool fails.
    """
    from workbench.toolbox.entry import ToolTask

    parsed_arguments = _arguments(arguments)
    with catalog_of_settings() as catalog:
        if catalog.registry.find(name) is None:
            known = sorted(entry.name for entry in catalog.registry.entries())
            remedy = did_you_mean(name, known, otherwise=f"known tools: {', '.join(known)}")
            raise BadInput(f"tool {name!r}", "no such tool", remedy)
        task = ToolTask(seed=seed, approver=TerminalApprover())
        run = catalog.toolbox(task).run(ToolCall(name=name, arguments=parsed_arguments))
    if as_json:
        findings = [
            {"code": finding.code, "pointer": finding.pointer, "message": finding.message}
            for finding in run.findings
        ]
        result = cast(JsonValue, json.loads(run.result.text))
        write_json_line(
            {"result": result, "is_error": run.result.is_error, "rule": run.rule, "findings": findings}
        )
    else:
        for finding in run.findings:
            print(f"{finding.pointer}: {finding.severity} {finding.code}: {finding.message}", file=sys.stderr)
        print(run.result.text)
        print(f"{run.rule or 'answered by code'}, {run.milliseconds:.1f} ms", file=sys.stderr)
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
        raise BadInput("arguments", "not a JSON object", 'write {"name": value}')
    return cast(JsonObject, value)


def import_(
    source: Annotated[str, typer.Argument(metavar="FILE", help="File to read, or - for standard input")],
    toolset: Annotated[
        str, typer.Option(metavar="NAME", help="Write a catalog file for this toolset instead of JSON")
    ] = "",
    out: OutFile = None,
) -> None:
    """Import tools from another format.

    Reads OpenAI tools, plain function specs, Anthropic, Gemini, MCP `tools/list`, OpenAPI 3, and the source of
    Python functions.
    """
    imported = import_tools(read_text(source))
    for finding in imported.findings:
        print(f"{finding.pointer}: {finding.severity} {finding.code}: {finding.message}", file=sys.stderr)
    if toolset:
        from workbench.toolbox.catalog_file import CatalogTool, CatalogToolset, render_toolset

        tools = tuple(CatalogTool(spec=spec) for spec in imported.tools.specs)
        text = render_toolset(CatalogToolset(name=toolset, tools=tools))
    else:
        documents = [spec.document for spec in imported.tools.specs]
        text = json.dumps(documents, indent=2, ensure_ascii=False) + "\n"
    _write(text, out)
    count = len(imported.tools.specs)
    print(f"{imported.form}: {count_of(count, 'tool')}", file=sys.stderr)


def export(
    tools: ToolNames,
    form: Annotated[
        str, typer.Option(metavar="FORM", help=f"yaml (as in the catalog), {', '.join(FORMS)}")
    ] = "yaml",
    out: OutFile = None,
) -> None:
    """Export tools to another format.

    Mock rules are exported only to yaml.
    """
    if form not in (*FORMS, "yaml"):
        raise BadInput(f"--form {form}", "unknown format", f"use yaml, {', '.join(FORMS)}")
    with catalog_of_settings() as catalog:
        if form == "yaml":
            from workbench.toolbox.catalog_file import render_toolset

            text = render_toolset(_toolset(catalog, tools))
        else:
            written = write_tools(catalog.select_files(tools).specs, form)
            text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    _write(text, out)


def _toolset(catalog: "Catalog", names: list[str]) -> "CatalogToolset":
    """Return the selected tools with their mock rules as one toolset, named after the first of `names`."""
    from workbench.toolbox.catalog_file import CatalogTool, CatalogToolset

    toolsets = {toolset.name: toolset for toolset in catalog.files()}
    if len(names) == 1 and names[0] in toolsets:
        return toolsets[names[0]]
    specs = catalog.select_files(names).specs
    tools = tuple(catalog.declared(spec.name) or CatalogTool(spec=spec) for spec in specs)
    return CatalogToolset(name=Path(names[0]).stem, tools=tools)


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--out {out}", str(error.strerror or error)) from error


def list_(as_json: JsonOption = False) -> None:
    """List all tools by toolset.

    Shows the reason if a tool cannot be used.
    """
    from workbench.library.home_files import find_folder
    from workbench.settings import read_settings
    from workbench.toolbox.local_code import explain_refusal

    with catalog_of_settings() as catalog:
        availability, problems = catalog.availability(), catalog.problems()
        toolsets = catalog.registry.toolsets()
    if as_json:
        tools = [
            {"name": tool.name, "toolset": tool.toolset, "reason": tool.reason or None}
            for tool in availability
        ]
        write_json_line({"tools": tools, "problems": list(problems)})
        return
    for toolset in toolsets.names:
        print(f"{toolset}  {toolsets.describe(toolset)}".rstrip())
        for tool in availability:
            if tool.name in toolsets.resolve(toolset):
                print(f"  {tool.name}" + (f"  unavailable: {tool.reason}" if tool.reason else ""))
    settings = read_settings()
    # Printed when the catalog was opened.
    printed = settings.runs_local_code and explain_refusal(
        find_folder("tools_catalog", settings.home), settings
    )
    for problem in problems:
        if problem != printed:
            print(f"workbench: {problem}", file=sys.stderr)


def show(
    tools: ToolNames,
    as_json: JsonOption = False,
) -> None:
    """Print specs as a model gets them, and their fingerprint."""
    with catalog_of_settings() as catalog:
        offered = catalog.select_files(tools)
    if as_json:
        write_json_line(
            {"tools": [spec.document for spec in offered.specs], "fingerprint": offered.fingerprint}
        )
        return
    print(json.dumps([spec.document for spec in offered.specs], indent=2, ensure_ascii=False))
    print(f"fingerprint {offered.fingerprint}", file=sys.stderr)


def check(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|FILE", help="Toolset, tool, JSON file, catalog file (YAML), or - for standard input"
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Check specs and mock rules of tools.

    Reports errors, and what makes models call a tool wrongly. Exit code 1 if there is an error.
    """
    findings = [(source, finding) for source in sources for finding in _findings(source)]
    if as_json:
        write_json_line({"findings": [_fields(source, finding) for source, finding in findings]})
    else:
        for source, finding in findings:
            place = ":".join(filter(None, (source, str(finding.line or ""), finding.pointer or "")))
            print(f"{place}: {finding.severity} {finding.code}: {finding.message}")
        print(f"{len(findings)} findings" if len(findings) != 1 else "1 finding", file=sys.stderr)
    if any(finding.severity is Severity.ERROR for _, finding in findings):
        raise typer.Exit(1)


def _findings(source: str) -> tuple[Finding, ...]:
    from workbench.errors import BadInput
    from workbench.toolbox.catalog_file import parse_toolset
    from workbench.toolspec.lint import check_offered, check_tools
    from workbench.toolspec.spec import OfferedTools

    if source.endswith((".yaml", ".yml")):
        try:
            toolset = parse_toolset(read_text(source), where=source)
        except BadInput as error:
            if error.where == f"file {source}":
                raise
            return (
                Finding(
                    code="catalog-unsound",
                    message=f"{error.problem}",
                    pointer=error.where.removeprefix(source),
                ),
            )
        return check_offered(OfferedTools(specs=tuple(tool.spec for tool in toolset.tools)))
    if source == "-" or source.endswith(".json"):
        return check_tools(read_text(source))
    with catalog_of_settings() as catalog:
        return check_offered(catalog.select_files([source]))


def _fields(source: str, finding: Finding) -> dict[str, str | int | None]:
    return {
        "source": source,
        "code": finding.code,
        "severity": str(finding.severity),
        "message": finding.message,
        "pointer": finding.pointer,
        "line": finding.line,
    }


GROUP: Final = {
    "list": list_,
    "show": show,
    "check": check,
    "import": import_,
    "export": export,
    "call": call,
}
"""The commands of `workbench tools`."""
