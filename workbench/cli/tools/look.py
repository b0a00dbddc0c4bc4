"""`workbench tools list`, `show` and `check`."""

import json
import sys
from typing import Annotated

import typer

from workbench.chat.finding import Finding, Severity
from workbench.cli.terminal.json_lines import write_json_line
from workbench.cli.terminal.sources import read_text
from workbench.cli.tools.app import catalog_of_settings

JSON_HELP = "Print JSON and nothing else."


def list_(as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False) -> None:
    """Lists every tool by its toolset, and why one cannot be used."""
    with catalog_of_settings() as catalog:
        availability, problems = catalog.availability(), catalog.problems()
        toolsets = catalog.registry.toolsets()
    if as_json:
        tools = [
            {"name": one.name, "toolset": one.toolset, "reason": one.reason or None} for one in availability
        ]
        write_json_line({"tools": tools, "problems": list(problems)})
        return
    for toolset in toolsets.names:
        print(f"{toolset}  {toolsets.describe(toolset)}".rstrip())
        for one in availability:
            if one.name in toolsets.resolve(toolset):
                print(f"  {one.name}" + (f"  unavailable: {one.reason}" if one.reason else ""))
    for problem in problems:
        print(f"workbench: {problem}", file=sys.stderr)


def show(
    tools: Annotated[list[str], typer.Argument(help="Toolset, tool or JSON file.")],
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Prints the specs as a model is told of them, and their fingerprint."""
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
        list[str], typer.Argument(help="Toolset, tool, JSON file, YAML file of the catalog, or -.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Checks specs and rules, and tells what makes models call them wrongly. Exit code 1 where one is unsound."""
    findings = [(source, finding) for source in sources for finding in _findings(source)]
    if as_json:
        write_json_line({"findings": [_fields(source, finding) for source, finding in findings]})
    else:
        for source, one in findings:
            place = ":".join(filter(None, (source, str(one.line or ""), one.pointer or "")))
            print(f"{place}: {one.severity} {one.code}: {one.message}")
        print(f"{len(findings)} findings" if len(findings) != 1 else "1 finding", file=sys.stderr)
    if any(finding.severity is Severity.ERROR for _, finding in findings):
        raise typer.Exit(1)


def _findings(source: str) -> tuple[Finding, ...]:
    from workbench.errors import BadInput
    from workbench.toolbox.catalog_file import parse_toolset
    from workbench.toolspec.lint import lint_tools
    from workbench.toolspec.spec import OfferedTools
    from workbench.toolspec.tools_text import check_tools_text, parse_tools

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
        return lint_tools(OfferedTools(specs=tuple(tool.spec for tool in toolset.tools)))
    if source == "-" or source.endswith(".json"):
        text = read_text(source)
        return check_tools_text(text) or lint_tools(parse_tools(text))
    with catalog_of_settings() as catalog:
        return lint_tools(catalog.select_files([source]))


def _fields(source: str, finding: Finding) -> dict[str, str | int | None]:
    return {
        "source": source,
        "code": finding.code,
        "severity": str(finding.severity),
        "message": finding.message,
        "pointer": finding.pointer,
        "line": finding.line,
    }
