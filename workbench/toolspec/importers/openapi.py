"""Import the operations of an OpenAPI 3 document as tools. *Source:* https://spec.openapis.org/oas/v3.1.1.html"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue, as_object, pointer, value_at
from workbench.errors import BadInput
from workbench.toolspec.importers.chat_apis import ImportedTools, warn_of_loss
from workbench.toolspec.spec import OfferedTools, ToolSpec

_METHODS: Final = ("get", "put", "post", "delete", "patch", "head", "options")
_MAX_DEPTH: Final = 20
MAX_VALUES: Final = 100_000
"""Limit on the values of all tools with references resolved. 3 KB of references can expand to billions."""
_CHARS_PER_VALUE: Final = 50
"""In a text, this many characters count as one more value."""
_BODY: Final = "body"
"""Name of the parameter for a request body that is not an object."""


def is_openapi(value: JsonValue) -> bool:
    """Return whether a value is an OpenAPI 3 document."""
    fields = as_object(value)
    return str(fields.get("openapi", "")).startswith("3") and isinstance(fields.get("paths"), Mapping)


def import_openapi(document: JsonObject) -> ImportedTools:
    """Create one tool per operation. Its parameters are those of the operation and the fields of its JSON body.

    References inside the document are resolved. Other references, and circular ones, allow anything and are reported.

    Raises:
        BadInput: The document is too large after resolving references.
    """
    room = _Room()
    operations = [_Operation(document, path, method, room) for path, method in _operations(document)]
    read = [_read(operation) for operation in operations]
    return ImportedTools(
        tools=OfferedTools(specs=tuple(result.spec for result in read)),
        form="openapi",
        findings=tuple(finding for result in read for finding in result.findings),
    )


class _Room:
    """The number of values that the import may still create."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_VALUES

    def take(self, value: JsonValue) -> None:
        self.left -= 1 + (len(value) // _CHARS_PER_VALUE if isinstance(value, str) else 0)
        if self.left < 0:
            problem = f"it has over {MAX_VALUES:,} values after resolving references"
            raise BadInput("import", problem, "import fewer paths at a time")


class _Operation(NamedTuple):
    document: JsonObject
    path: str
    method: str
    room: _Room

    @property
    def fields(self) -> JsonObject:
        return as_object(as_object(as_object(self.document["paths"])[self.path])[self.method])

    @property
    def where(self) -> str:
        return pointer(["paths", self.path, self.method])


class _Read(NamedTuple):
    spec: ToolSpec
    findings: tuple[Finding, ...]


def _operations(document: JsonObject) -> Iterator[tuple[str, str]]:
    for path, item in as_object(document["paths"]).items():
        yield from ((path, method) for method in _METHODS if isinstance(as_object(item).get(method), Mapping))


def _read(operation: _Operation) -> _Read:
    lost: list[str] = []
    properties: dict[str, JsonValue] = {}
    required: list[str] = []
    for name, schema, is_required in (*_parameters(operation, lost), *_body(operation, lost)):
        if name in properties:
            lost.append(f"two parameters are named {name!r}; only the first was imported")
            continue
        properties[name] = schema
        required += [name] if is_required else []
    described = operation.fields.get("description") or operation.fields.get("summary")
    function: dict[str, JsonValue] = {"name": _name(operation)}
    if described:
        function["description"] = str(described).strip()
    function["parameters"] = {"type": "object", "properties": properties, "required": required}
    findings = tuple(warn_of_loss(message, operation.where) for message in lost)
    return _Read(ToolSpec.of_function(function), findings)


def _name(operation: _Operation) -> str:
    identifier = operation.fields.get("operationId")
    text = (
        identifier if isinstance(identifier, str) and identifier else f"{operation.method}_{operation.path}"
    )
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_")[:64] or operation.method


def _parameters(operation: _Operation, lost: list[str]) -> Iterator[tuple[str, JsonValue, bool]]:
    shared = as_object(as_object(operation.document["paths"])[operation.path]).get("parameters")
    own = operation.fields.get("parameters")
    for listed in (own, shared):
        for entry in listed if isinstance(listed, list | tuple) else ():
            parameter = as_object(_resolved(entry, operation, lost))
            name = str(parameter.get("name", ""))
            if parameter.get("in") in ("header", "cookie"):
                lost.append(f"the {parameter['in']} {name!r} was left out")
            elif name:
                schema = dict(as_object(_resolved(parameter.get("schema", {}), operation, lost)))
                if parameter.get("description"):
                    schema.setdefault("description", parameter["description"])
                yield name, schema, parameter.get("required") is True or parameter.get("in") == "path"


def _body(operation: _Operation, lost: list[str]) -> Iterator[tuple[str, JsonValue, bool]]:
    body = as_object(_resolved(operation.fields.get("requestBody"), operation, lost))
    content = as_object(body.get("content"))
    kind = next((kind for kind in content if "json" in kind), next(iter(content), ""))
    if not kind:
        return
    if "json" not in kind:
        lost.append(f"the body is {kind}; its fields were imported as JSON")
    schema = as_object(_resolved(as_object(content[kind]).get("schema", {}), operation, lost))
    properties = as_object(schema.get("properties"))
    if not properties:
        yield _BODY, schema, body.get("required") is True
        return
    named = schema.get("required")
    required = named if isinstance(named, list | tuple) else ()
    yield from ((name, inner, name in required) for name, inner in properties.items())


def _resolved(
    value: JsonValue, operation: _Operation, lost: list[str], inside: tuple[str, ...] = ()
) -> JsonValue:
    """Resolve references in `value`. `inside` lists the references that are being resolved, to find circles."""
    operation.room.take(value)
    if isinstance(value, list | tuple):
        return [_resolved(item, operation, lost, inside) for item in value]
    if not isinstance(value, Mapping):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str):
        if reference in inside or len(inside) > _MAX_DEPTH or not reference.startswith("#/"):
            lost.append(f"the reference {reference[:40]!r} was not resolved; any value is allowed")
            return {}
        return _resolved(
            value_at(operation.document, reference.removeprefix("#")), operation, lost, (*inside, reference)
        )
    resolved = {key: _resolved(inner, operation, lost, inside) for key, inner in value.items()}
    if resolved.pop("nullable", None) is True and isinstance(resolved.get("type"), str):
        resolved["type"] = [resolved["type"], "null"]
    return {key: inner for key, inner in resolved.items() if key not in ("xml", "example", "externalDocs")}
