"""Import the operations of an OpenAPI 3 document as tools. *Source:* OpenAPI 3.0.4 and 3.1.1."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.errors import BadInput
from workbench.toolspec.check import pointer
from workbench.toolspec.importers.chat_apis import ImportedTools, loss
from workbench.toolspec.spec import OfferedTools, ToolSpec

_METHODS: Final = ("get", "put", "post", "delete", "patch", "head", "options")
_DEEPEST: Final = 20
MOST_VALUES: Final = 100_000
"""Values of all tools together, with each reference written out: 3 KB of references can stand for billions."""
_CHARS_A_VALUE: Final = 50
"""A text of so many characters counts as one value more."""
_BODY: Final = "body"
"""The parameter that holds a request's body where that is no object."""


def is_openapi(value: JsonValue) -> bool:
    """Whether it is an OpenAPI 3 document."""
    fields = as_object(value)
    return str(fields.get("openapi", "")).startswith("3") and isinstance(fields.get("paths"), Mapping)


def import_openapi(document: JsonObject) -> ImportedTools:
    """One tool for each operation: parameters and the fields of a JSON body, side by side.

    References inside the document are put in; others, and circles, allow anything and are told.

    Raises:
        BadInput: With its references put in, it is too large.
    """
    room = _Room()
    operations = [_Operation(document, path, method, room) for path, method in _operations(document)]
    read = [_read(operation) for operation in operations]
    return ImportedTools(
        tools=OfferedTools(specs=tuple(one.spec for one in read)),
        form="openapi",
        findings=tuple(finding for one in read for finding in one.findings),
    )


class _Room:
    """How many values the import may still make."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MOST_VALUES

    def take(self, value: JsonValue) -> None:
        self.left -= 1 + (len(value) // _CHARS_A_VALUE if isinstance(value, str) else 0)
        if self.left < 0:
            problem = f"with its references put in, it holds over {MOST_VALUES:,} values"
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
            lost.append(f"two parameters are named {name!r}: only the first is kept")
            continue
        properties[name] = schema
        required += [name] if is_required else []
    described = operation.fields.get("description") or operation.fields.get("summary")
    function: dict[str, JsonValue] = {"name": _name(operation)}
    if described:
        function["description"] = str(described).strip()
    function["parameters"] = {"type": "object", "properties": properties, "required": required}
    findings = tuple(loss(message, operation.where) for message in lost)
    return _Read(ToolSpec.of_function(function), findings)


def _name(operation: _Operation) -> str:
    given = operation.fields.get("operationId")
    text = given if isinstance(given, str) and given else f"{operation.method}_{operation.path}"
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_")[:64] or operation.method


def _parameters(operation: _Operation, lost: list[str]) -> Iterator[tuple[str, JsonValue, bool]]:
    shared = as_object(as_object(operation.document["paths"])[operation.path]).get("parameters")
    own = operation.fields.get("parameters")
    for listed in (own, shared):
        for one in listed if isinstance(listed, list | tuple) else ():
            parameter = as_object(_resolved(one, operation, lost))
            name = str(parameter.get("name", ""))
            if parameter.get("in") in ("header", "cookie"):
                lost.append(f"the {parameter['in']} {name!r} is left out")
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
        lost.append(f"the body is {kind}: its fields are kept as JSON")
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
    """`value` with references put in; `inside` names those that it stands in already."""
    operation.room.take(value)
    if isinstance(value, list | tuple):
        return [_resolved(item, operation, lost, inside) for item in value]
    if not isinstance(value, Mapping):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str):
        if reference in inside or len(inside) > _DEEPEST or not reference.startswith("#/"):
            lost.append(f"the reference {reference[:40]!r} is not followed: anything is allowed there")
            return {}
        return _resolved(_target(reference, operation.document), operation, lost, (*inside, reference))
    made = {key: _resolved(inner, operation, lost, inside) for key, inner in value.items()}
    if made.pop("nullable", None) is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    return {key: inner for key, inner in made.items() if key not in ("xml", "example", "externalDocs")}


def _target(reference: str, document: JsonObject) -> JsonValue:
    found: JsonValue = document
    for part in reference.split("/")[1:]:
        found = as_object(found).get(part.replace("~1", "/").replace("~0", "~"))
    return found
