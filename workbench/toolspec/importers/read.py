"""Import tools from a text in any supported format."""

import json
import re
from dataclasses import replace
from typing import Final, cast

import yaml

from workbench.chat.json_value import JsonObject, JsonValue, as_object, load_json
from workbench.errors import BadInput
from workbench.toolspec.importers.chat_apis import ImportedTools, entries_of, read_entry
from workbench.toolspec.importers.openapi import import_openapi, is_openapi
from workbench.toolspec.importers.python_text import import_python
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import MAX_SIZE_CHARS, parse_tools
from workbench.toolspec.yaml_text import load_yaml

_FUNCTION: Final = re.compile(r"^(?:async )?def \w+\(", re.M)
"""The start of a Python function, which YAML may parse as an object."""


def import_tools(text: str) -> ImportedTools:
    """Import tools from JSON or YAML (tools of a chat API, MCP's `tools/list`, or OpenAPI 3), or from Python.

    Raises:
        BadInput: The format is not supported, or no tool can be used.
    """
    if len(text) > MAX_SIZE_CHARS:
        raise BadInput("import", f"the text has over {MAX_SIZE_CHARS:,} characters")
    try:
        return _import(text)
    except RecursionError as error:
        raise BadInput("import", "the text is nested too deeply", "remove some levels") from error


def _import(text: str) -> ImportedTools:
    value, problem = _loaded(text)
    if isinstance(value, dict | list) and not _FUNCTION.search(text):
        imported = import_value(value)
    elif "def " in text and not isinstance(value, list):
        imported = import_python(text)
    else:
        remedy = "supported are OpenAI, Anthropic, Gemini, MCP tools/list, OpenAPI 3 and Python functions"
        raise BadInput("import", problem or "the text describes no tools", remedy)
    tools = parse_tools([spec.document for spec in imported.tools.specs])
    if not tools.specs:
        first = tools.findings[0]
        raise BadInput(f"import, {first.pointer}", first.message)
    return replace(imported, tools=tools, findings=(*imported.findings, *tools.findings))


def import_value(value: JsonValue) -> ImportedTools:
    """Import tools from a parsed JSON or YAML value.

    Raises:
        BadInput: It contains no tools.
    """
    if is_openapi(value):
        return import_openapi(as_object(value))
    read = [read_entry(as_object(entry), place) for place, entry in entries_of(value)]
    if not read:
        remedy = "pass a list of tools, or an object with `tools` or `paths`"
        raise BadInput("import", "it contains no tools", remedy)
    forms = {entry.form for entry in read}
    return ImportedTools(
        tools=OfferedTools(specs=tuple(entry.spec for entry in read)),
        form=forms.pop() if len(forms) == 1 else "mixed",
        findings=tuple(finding for entry in read for finding in entry.findings),
    )


def _loaded(text: str) -> tuple[JsonValue, str]:
    """Parse JSON or YAML. Return the value and an empty text, or None and what is wrong."""
    try:
        return load_json(text), ""
    except json.JSONDecodeError:
        pass
    except ValueError as error:
        return None, f"JSON: {error}"
    try:
        loaded = cast(JsonValue, load_yaml(text))
        return cast(JsonObject, json.loads(json.dumps(loaded, default=str))), ""
    except (yaml.YAMLError, ValueError, TypeError) as error:
        problem = getattr(error, "problem", None) or str(error)
        return None, f"neither JSON nor YAML: {' '.join(problem.split())[:120]}"
