"""How Qwen3-Coder is shown its tools: XML that nests the schema's keys.

*Source:* chat template of Qwen3-Coder-30B-A3B-Instruct.
"""

from collections.abc import Iterator, Mapping

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.hermes.spelling.tools import spelled_json, spelled_python
from workbench.toolspec.spec import OfferedTools, ToolSpec


def function_elements(tools: OfferedTools) -> str:
    """One `<function>` element a tool, one line a tag."""
    return "\n".join("\n".join(_function(spec)) for spec in tools.specs)


def _function(spec: ToolSpec) -> Iterator[str]:
    function = spec.function
    yield "<function>"
    yield f"<name>{spec.name}</name>"
    if "description" in function:
        yield f"<description>{_text(function['description']).strip()}</description>"
    yield "<parameters>"
    for name, schema in as_object(spec.parameters.get("properties")).items():
        yield from _parameter(name, as_object(schema))
    yield from _other_keys(spec.parameters, frozenset({"type", "properties"}))
    yield "</parameters>"
    yield from _other_keys(function, frozenset({"type", "name", "description", "parameters"}))
    yield "</function>"


def _parameter(name: str, schema: JsonObject) -> Iterator[str]:
    yield "<parameter>"
    yield f"<name>{name}</name>"
    if "type" in schema:
        yield f"<type>{_text(schema['type'])}</type>"
    if "description" in schema:
        yield f"<description>{_text(schema['description']).strip()}</description>"
    yield from _other_keys(schema, frozenset({"name", "type", "description"}))
    yield "</parameter>"


def _other_keys(fields: JsonObject, handled: frozenset[str]) -> Iterator[str]:
    for key, value in fields.items():
        if key not in handled:
            text = spelled_json(value) if isinstance(value, Mapping) else _text(value)
            yield f"<{key}>{text}</{key}>"


def _text(value: JsonValue) -> str:
    """Text as it stands, all else as Python writes it: `['city']`, `None`."""
    return value if isinstance(value, str) else spelled_python(value)
