"""Show a call as a form built from the schema of its tool, and parse the filled form."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.toolspec.coerce import types_allowed
from workbench.toolspec.spec import OfferedTools, ToolSpec

TEXT: Final = "text"
CHOICE: Final = "choice"
JSON: Final = "json"
_STRING: Final = frozenset({"string"})
_BOOLEAN: Final = frozenset({"boolean"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """The form field of one parameter."""

    name: str
    kind: str
    """`text` (what is typed is the value), `choice` (one of `choices`), or `json` (what is typed is JSON)."""
    type: str
    """The allowed types, as shown next to the field."""
    is_required: bool
    """Whether the parameter is required."""
    description: str
    """The description. Empty if the schema has none."""
    choices: tuple[str, ...] = ()
    """The possible values of an enumeration or a boolean, each as JSON."""


def show_form(spec: ToolSpec) -> tuple[FormField, ...]:
    """Return the form fields of a tool, in the order of its schema."""
    return tuple(_field(spec, name, schema) for name, schema in spec.properties.items())


def show_values(arguments: JsonObject, spec: ToolSpec | None) -> Mapping[str, str]:
    """Return the field values for arguments. An argument without a field is shown as JSON."""
    kinds = {field.name: field.kind for field in show_form(spec)} if spec else {}
    return {name: _shown(value, kinds.get(name, JSON)) for name, value in arguments.items()}


def read_form(name: str, texts: Mapping[str, str], tools: OfferedTools) -> ToolCall:
    """Parse a filled form as a call. Parameters without a text are left out.

    Args:
        texts: The text of each field that is set.
        tools: The offered tools.

    Raises:
        BadInput: The tool is not offered, or the text of a field is not valid JSON although it has to be.
    """
    spec = tools.by_name.get(name)
    if spec is None:
        raise BadInput(f"call to {name!r}", "the tool is not offered", "choose a tool from the list")
    kinds = {field.name: field.kind for field in show_form(spec)}
    arguments = {key: _value(key, text, kinds.get(key, JSON)) for key, text in texts.items()}
    return ToolCall(name=name, arguments=arguments)


def _field(spec: ToolSpec, name: str, schema: JsonObject) -> FormField:
    allowed = types_allowed(schema, spec.schema)
    choices = _choices(schema, allowed)
    kind = CHOICE if choices else TEXT if allowed == _STRING else JSON
    return FormField(
        name=name,
        kind=kind,
        type=_type(schema, allowed),
        is_required=name in spec.required,
        description=str(schema.get("description") or ""),
        choices=tuple(_json(choice) for choice in choices),
    )


def _choices(schema: JsonObject, allowed: frozenset[str]) -> list[JsonValue]:
    listed = schema.get("enum")
    if isinstance(listed, list):
        return listed
    return [True, False] if allowed == _BOOLEAN else []


def _type(schema: JsonObject, allowed: frozenset[str]) -> str:
    declared = schema.get("type")
    return (
        declared if isinstance(declared, str) else " or ".join(sorted(allowed)) if len(allowed) < 7 else "any"
    )


def _shown(value: JsonValue, kind: str) -> str:
    return value if kind == TEXT and isinstance(value, str) else _json(value)


def _value(name: str, text: str, kind: str) -> JsonValue:
    if kind == TEXT:
        return text
    try:
        return cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"argument {name!r}",
            f"not JSON: {text[:40]!r}",
            'write JSON, such as 3, true, "text" or ["a"]',
        ) from error


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
