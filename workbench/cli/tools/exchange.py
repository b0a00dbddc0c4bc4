"""`workbench tools import` and `export`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.terminal.sources import read_text
from workbench.cli.tools.app import catalog_of_settings
from workbench.errors import BadInput
from workbench.toolspec.importers.chat_apis import FORMS, write_tools
from workbench.toolspec.importers.read import import_tools

if TYPE_CHECKING:
    from workbench.toolbox.catalog import Catalog
    from workbench.toolbox.catalog_file import CatalogToolset


def import_(
    source: Annotated[str, typer.Argument(help="File to read, or -.")],
    toolset: Annotated[
        str, typer.Option(help="Write a file of the catalog for this toolset, not JSON.")
    ] = "",
    out: Annotated[Path | None, typer.Option(help="File to write; standard output if left out.")] = None,
) -> None:
    """Reads tools of OpenAI, bare, Anthropic, Gemini, MCP `tools/list`, OpenAPI 3 or a Python function's text."""
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
    print(f"{imported.form}: {len(imported.tools.specs)} tools", file=sys.stderr)


def export(
    tools: Annotated[list[str], typer.Argument(help="Toolset, tool or JSON file.")],
    form: Annotated[str, typer.Option(help=f"yaml (the catalog's own), {', '.join(FORMS)}.")] = "yaml",
    out: Annotated[Path | None, typer.Option(help="File to write; standard output if left out.")] = None,
) -> None:
    """Writes tools in another form; yaml keeps the mock rules."""
    if form not in (*FORMS, "yaml"):
        raise BadInput(f"--form {form}", "no such form", f"yaml, {', '.join(FORMS)}")
    with catalog_of_settings() as catalog:
        if form == "yaml":
            from workbench.toolbox.catalog_file import render_toolset

            text = render_toolset(_toolset(catalog, tools))
        else:
            written = write_tools(catalog.select_files(tools).specs, form)
            text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    _write(text, out)


def _toolset(catalog: "Catalog", names: list[str]) -> "CatalogToolset":
    """A toolset of the tools chosen, with their rules; named as the first selector."""
    from workbench.toolbox.catalog_file import CatalogTool, CatalogToolset

    own = {toolset.name: toolset for toolset in catalog.files()}
    if len(names) == 1 and names[0] in own:
        return own[names[0]]
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
