"""Import tools from any text, whichever format it is in."""

import json
import re
from typing import Final, cast

import yaml

from workbench.chat.json_value import JsonObject, JsonValue, as_object, load_json
from workbench.errors import BadInput
from workbench.toolspec.check import check_offered
from workbench.toolspec.importers.chat_apis import ImportedTools, entries_of, read_entry
from workbench.toolspec.importers.openapi import import_openapi, is_openapi
from workbench.toolspec.importers.python_text import import_python
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import MAX_SIZE_CHARS
from workbench.toolspec.yaml_text import load_yaml

_FUNCTION: Final = re.compile(r"^(?:async )?def \w+\(", re.M)
"""How a Python function begins; YAML may take its text for an object."""


def import_tools(text: str) -> ImportedTools:
    """The tools of a text: JSON or YAML of a chat API's tools, of MCP's `tools/list` or of OpenAPI 3, or Python.

    Raises:
        BadInput: It is none of these, or a tool in it is not sound.
    """
    if len(text) > MAX_SIZE_CHARS:
        raise BadInput("import", f"over {MAX_SIZE_CHARS:,} characters")
    try:
        return _import(text)
    except RecursionError as error:
        raise BadInput("import", "it is nested too deep", "take out some levels") from error


def _import(text: str) -> ImportedTools:
    value, problem = _loaded(text)
    if isinstance(value, dict | list) and not _FUNCTION.search(text):
        imported = import_value(value)
    elif "def " in text and not isinstance(value, list):
        imported = import_python(text)
    else:
        remedy = "OpenAI, bare, Anthropic, Gemini, MCP tools/list, OpenAPI 3, or a Python function"
        raise BadInput("import", problem or "it describes no tools", remedy)
    for finding in check_offered(imported.tools):
        raise BadInput(f"import, {finding.pointer or '/'}", finding.message)
    return imported


def import_value(value: JsonValue) -> ImportedTools:
    """The tools of a loaded text.

    Raises:
        BadInput: It holds no tools.
    """
    if is_openapi(value):
        return import_openapi(as_object(value))
    read = [read_entry(as_object(entry), place) for place, entry in entries_of(value)]
    if not read:
        raise BadInput("import", "it holds no tools", "a list of tools, or an object with `tools` or `paths`")
    forms = {one.form for one in read}
    return ImportedTools(
        tools=OfferedTools(specs=tuple(one.spec for one in read)),
        form=forms.pop() if len(forms) == 1 else "mixed",
        findings=tuple(finding for one in read for finding in one.findings),
    )


def _loaded(text: str) -> tuple[JsonValue, str]:
    """The value of JSON or YAML, and why there is none where it is neither."""
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
        told = getattr(error, "problem", None) or str(error)
        return None, f"neither JSON nor YAML: {' '.join(told.split())[:120]}"
