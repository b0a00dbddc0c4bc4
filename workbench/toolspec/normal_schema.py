"""Read the schemas that people and programs write as JSON Schema, and report each change.

Examples are `"required": null` of Go's encoder, `"type": "float"` of Python's type names, `nullable` of OpenAPI, and
`"required": true` inside a property, as in draft 3. The validator, the grammar and the reader use the result. Prompts
show the tool as it was written.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.short_text import shortened
from workbench.toolspec.coerce import ALL_TYPES
from workbench.toolspec.drafts import Draft, draft_of, is_draft_4
from workbench.toolspec.plain_schema import is_surely_valid_schema
from workbench.toolspec.python_types import kind_of

Where = tuple[str | int, ...]
"""Keys and indexes that lead into the schema as it was written."""


class SchemaRepair(NamedTuple):
    """A place of a schema that is read as something else than what is written there."""

    code: str
    """One of `REPAIRS`."""
    message: str
    where: Where


REPAIRS: Final[Mapping[str, str]] = {
    "spec-nulls": "a key that is null is left out; encoders of Go and Arrow write such keys",
    "spec-types": "a type name of another language is read as the type of JSON Schema that it means",
    "spec-required": "`required` is read as the list of names that it means",
    "spec-enum": "an empty `enum` is left out, because no value would be valid",
    "spec-nullable": "`nullable` of OpenAPI allows null",
    "spec-bounds": "`exclusiveMinimum` and `exclusiveMaximum` are read as in draft 4",
    "spec-tuple": "`items` with a list is read as in draft 7: one schema for each position",
    "spec-draft": "`$schema` names an unknown draft, so the schema is read as draft 2020-12",
    "spec-annotation": "an annotation of the wrong type, such as a `description` that is a list, is left out",
    "spec-empty": "an empty list or text is read as an empty object",
}
"""The code of each repair with its meaning."""
NULLS: Final = frozenset({"spec-nulls"})
"""The repairs of rows that went through Arrow."""
TYPE_NAMES: Final = frozenset({"spec-types"})
"""The repairs of schemas with type names of Python."""


class NormalSchema(NamedTuple):
    """A schema as it is read."""

    schema: JsonObject
    """The same object as the schema that was given if nothing had to be changed."""
    draft: Draft = Draft.DRAFT_2020_12
    repairs: tuple[SchemaRepair, ...] = ()
    is_plain: bool = False
    """Whether `is_surely_valid_schema` accepts it."""


_MAX_DEPTH: Final = 100
"""Deeper parts are left as they are."""
_MAX_REPAIRS: Final = 100
_SCHEMA: Final = frozenset(
    {"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"}
    | {"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
)
"""Keywords whose value is a schema. `items` may also be a list of schemas."""
_LISTED: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_NAMED: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
_ANNOTATIONS: Final[Mapping[str, tuple[type, str]]] = {
    **dict.fromkeys(("title", "description", "$comment", "$schema", "format"), (str, "a text")),
    **dict.fromkeys(("contentEncoding", "contentMediaType"), (str, "a text")),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), (bool, "true or false")),
    "examples": (list, "a list"),
}
"""Keywords that do not constrain, with the type that each must have."""
_OUTSIDE: Final = frozenset({"$schema", "$id", "id", "$defs", "definitions", *_ANNOTATIONS, "default"})
"""Keywords that stay outside of a schema that allows null in addition."""
_FLAG: Final = re.compile(r"true|false", re.IGNORECASE)


def normal_schema(parameters: JsonValue) -> NormalSchema:
    """Read the `parameters` of a tool. Anything but an object is read as an empty object.

    >>> normal_schema({"type": "dict", "properties": {"a": {"type": "float"}}, "required": None}).schema
    {'type': 'object', 'properties': {'a': {'type': 'number'}}}
    """
    if not isinstance(parameters, Mapping):
        return NormalSchema({}, repairs=_instead_of_object(parameters), is_plain=True)
    schema = cast(JsonObject, parameters)
    if is_surely_valid_schema(schema):
        return NormalSchema(schema, is_plain=True)
    uri = schema.get("$schema")
    walk = _Walk(is_draft_4=is_draft_4(uri))
    draft = draft_of(uri)
    if draft is None and isinstance(uri, str):
        walk.makes(
            "spec-draft",
            f"$schema {shortened(uri, 40)!r} is not known, so it is read as 2020-12",
            ("$schema",),
        )
    normal = cast(JsonObject, walk.schema(schema, (), _MAX_DEPTH))
    if walk.tuple_place is not None and draft in (None, Draft.DRAFT_2020_12):
        walk.makes(
            "spec-tuple", "`items` with a list is read as in draft 7, one schema for each", walk.tuple_place
        )
        draft = Draft.DRAFT_2019_09
    return NormalSchema(normal, draft or Draft.DRAFT_2020_12, tuple(walk.repairs))


def repaired(schema: JsonObject, codes: frozenset[str]) -> JsonObject:
    """Return a schema with the repairs of these codes only; the same object if nothing had to be changed."""
    return cast(JsonObject, _Walk(codes).schema(schema, (), _MAX_DEPTH))


def _instead_of_object(parameters: JsonValue) -> tuple[SchemaRepair, ...]:
    if parameters is None:
        return (SchemaRepair("spec-nulls", "`parameters` is null and is left out", ()),)
    if parameters in ([], "") or parameters is True:
        return (SchemaRepair("spec-empty", "`parameters` is empty, so the tool has no parameters", ()),)
    return ()


class _LeftOut:
    """The type of `_LEFT_OUT`."""


_LEFT_OUT: Final = _LeftOut()
"""Stands for the value of a keyword that is left out."""


class _Walk:
    """Repairs one schema.

    Args:
        codes: The repairs to make.
        is_draft_4: Whether the schema says that it is written in draft 4, so that its forms need no report.
    """

    def __init__(self, codes: frozenset[str] = frozenset(REPAIRS), *, is_draft_4: bool = False) -> None:
        self.codes = codes
        self.repairs: list[SchemaRepair] = []
        self.tuple_place: Where | None = None
        self._is_draft_4 = is_draft_4

    def makes(self, code: str, message: str, where: Where) -> bool:
        """Report a repair. Return whether it is one of those to make."""
        if code in self.codes and len(self.repairs) < _MAX_REPAIRS:
            self.repairs.append(SchemaRepair(code, message, where))
        return code in self.codes

    def schema(self, schema: JsonValue, where: Where, depth: int) -> JsonValue:
        """Return a schema as it is read; the same object if nothing had to be changed."""
        if not isinstance(schema, dict) or not depth:
            return schema
        fields = schema
        result: dict[str, JsonValue] = {}
        for key, value in fields.items():
            new = (
                self._value(fields, key, (*where, key), depth)
                if value is not None
                else self._null(fields, key, where)
            )
            if not isinstance(new, _LeftOut):
                result[key] = new
        if "spec-required" in self.codes:
            self._required(fields, result, where)
        elif (
            isinstance(names := result.get("required"), list)
            and None in names
            and self.makes("spec-nulls", "`required` has a null, which is left out", (*where, "required"))
        ):
            # For rows that went through Arrow, no other repair of `required` is made.
            result["required"] = [name for name in names if name is not None]
        self._type(result, where)
        for keyword, limit in _BOUNDS.items():
            self._bound(result, keyword, limit, where)
        if result.get("nullable") is True:
            result = self._nullable(result, where)
        if self._is_draft_4 and isinstance(result.get("id"), str):
            result.setdefault("$id", result.pop("id"))
        is_same = result.keys() == fields.keys() and all(result[key] is fields[key] for key in fields)
        return fields if is_same else result

    def _null(self, fields: JsonObject, key: str, where: Where) -> "JsonValue | _LeftOut":
        """Return a null, or `_LEFT_OUT` if it means that the key has no value.

        A `default` may be null. So may a `const`, unless the type forbids null or other keys are null as well: then an
        encoder wrote all of them.
        """
        if key == "default":
            return None
        if key == "const":
            kinds = fields.get("type")
            others = (
                name for name, value in fields.items() if value is None and name not in ("const", "default")
            )
            if next(others, None) is None and (kinds is None or "null" in _as_list(kinds)):
                return None
        return (
            _LEFT_OUT
            if self.makes("spec-nulls", f"{_name(key)} is null and is left out", (*where, key))
            else None
        )

    def _value(self, fields: JsonObject, key: str, where: Where, depth: int) -> "JsonValue | _LeftOut":
        """Return the value of a keyword as it is read."""
        value = fields[key]
        if key in _NAMED or key in _SCHEMA:
            value = self._object(key, value, where)
        if key in _NAMED:
            return self._by_name(key, value, where, depth)
        if key in _LISTED and isinstance(value, list):
            if key == "items" and self.tuple_place is None:
                self.tuple_place = where
            return _same_or_new(
                value, [self.schema(item, (*where, place), depth - 1) for place, item in enumerate(value)]
            )
        if key in _SCHEMA:
            return self.schema(value, where, depth - 1)
        if key == "enum" and isinstance(value, list) and not value:
            return _LEFT_OUT if self.makes("spec-enum", "the empty `enum` is left out", where) else value
        if key in _ANNOTATIONS and not isinstance(value, _ANNOTATIONS[key][0]):
            message = f"{_name(key)} is not {_ANNOTATIONS[key][1]} and is left out"
            return _LEFT_OUT if self.makes("spec-annotation", message, where) else value
        return value

    def _object(self, key: str, value: JsonValue, where: Where) -> JsonValue:
        """Return an empty object for an empty list or text, which PHP writes for one."""
        is_empty = isinstance(value, list | str) and not value
        if is_empty and self.makes("spec-empty", f"{_name(key)} is empty, read as an empty object", where):
            return {}
        return value

    def _by_name(self, key: str, value: JsonValue, where: Where, depth: int) -> JsonValue:
        """Return an object of schemas as it is read."""
        if not isinstance(value, dict):
            return value
        schemas = value
        result: dict[str, JsonValue] = {}
        for name, schema in schemas.items():
            inside = (*where, name)
            if schema is None and self.makes("spec-nulls", f"{_name(name)} is null and is left out", inside):
                continue
            if (
                key == "properties"
                and name == "required"
                and _is_names(schema)
                and "spec-required" in self.codes
            ):
                continue
            if isinstance(schema, str) and key != "dependencies":
                kind = {"type": schema} if schema in ALL_TYPES else kind_of(schema)
                message = f"{_name(name)} is only a type name, read as its type"
                if kind is not None and self.makes("spec-types", message, inside):
                    schema = kind
            if key != "dependencies":
                schema = self._object(name, schema, inside)
            result[name] = self.schema(schema, inside, depth - 1)
        is_same = result.keys() == schemas.keys() and all(result[name] is schemas[name] for name in schemas)
        return schemas if is_same else result

    def _required(self, fields: JsonObject, result: dict[str, JsonValue], where: Where) -> None:
        """Read all forms of `required` as one list of names: draft 3's flags, a single name, a list with a null."""
        own = fields.get("required")
        names: list[str] = []
        if _is_names(own):
            names = list(dict.fromkeys(cast("list[str]", own)))
            if len(names) < len(cast("list[str]", own)):
                self.makes(
                    "spec-required", "a name is twice in `required` and counts once", (*where, "required")
                )
        elif isinstance(own, str) and own and not _FLAG.fullmatch(own):
            names = [own]
            self.makes(
                "spec-required", "`required` is one name, read as a list of names", (*where, "required")
            )
        elif isinstance(own, list):
            names = [name for name in own if isinstance(name, str)]
            self.makes(
                "spec-required",
                "`required` has entries that are not names, which are left out",
                (*where, "required"),
            )
        elif own is not None:
            # The object around a flag takes the name, and reports it. Anything else means nothing.
            del result["required"]
            is_flag = isinstance(own, bool) or (isinstance(own, str) and own)
            if not where or not is_flag:
                message = "`required` is not a list of names and is left out"
                self.makes("spec-required", message, (*where, "required"))
        properties = as_object(fields.get("properties"))
        for name, schema in properties.items():
            inside = (*where, "properties", name)
            flag = schema.get("required") if isinstance(schema, dict) else None
            if name == "required" and _is_names(schema):
                self.makes(
                    "spec-required", "`required` is among the properties, read as the object's", inside
                )
                names += [name for name in cast("list[str]", schema) if name not in names]
            elif isinstance(flag, bool) or (isinstance(flag, str) and _FLAG.fullmatch(flag)):
                message = f"`required` of {_name(name)} is a flag, read as a name in the object's list"
                self.makes("spec-required", message, (*inside, "required"))
                if (flag is True or str(flag).lower() == "true") and name not in names:
                    names.append(name)
        if names and names != own:
            result["required"] = cast(JsonValue, names)
        elif own and not names:
            result.pop("required", None)

    def _type(self, result: dict[str, JsonValue], where: Where) -> None:
        written = result.get("type")
        kind = kind_of(written)
        if kind is None:
            return
        read = " or ".join(map(str, _as_list(kind["type"]))) if "type" in kind else "any type"
        shown = shortened(written if isinstance(written, str) else ", ".join(map(str, _as_list(written))), 30)
        if self.makes("spec-types", f"type {shown!r} is read as {read}", (*where, "type")):
            # An own `items` says more than the type name does.
            result |= {key: value for key, value in kind.items() if key != "items" or "items" not in result}
            if "type" not in kind:
                del result["type"]

    def _bound(self, result: dict[str, JsonValue], keyword: str, limit: str, where: Where) -> None:
        """Read draft 4's `{"minimum": 1, "exclusiveMinimum": true}` as `{"exclusiveMinimum": 1}`."""
        is_exclusive = result.get(keyword)
        if not isinstance(is_exclusive, bool) or "spec-bounds" not in self.codes:
            return
        if not self._is_draft_4:
            self.makes("spec-bounds", f"{_name(keyword)} is a flag, read as in draft 4", (*where, keyword))
        del result[keyword]
        if is_exclusive and limit in result:
            result[keyword] = result.pop(limit)

    def _nullable(self, result: dict[str, JsonValue], where: Where) -> dict[str, JsonValue]:
        """Return a schema that also allows null, which `{"type": "string", "nullable": true}` does in OpenAPI 3.0."""
        if not self.makes("spec-nullable", "`nullable` is read as: null is allowed", (*where, "nullable")):
            return result
        result = {key: value for key, value in result.items() if key != "nullable"}
        if "const" in result or "$ref" in result or not result.keys().isdisjoint(_BRANCHING):
            rest = {key: value for key, value in result.items() if key not in _OUTSIDE}
            outside = {key: value for key, value in result.items() if key in _OUTSIDE}
            branches = result.get("anyOf")
            if isinstance(branches, list) and rest.keys() == {"anyOf"}:
                # Its place stays the same for references into it.
                return {**outside, "anyOf": [*branches, {"type": "null"}]}
            return {**outside, "anyOf": [rest, {"type": "null"}]}
        kinds, choices = result.get("type"), result.get("enum")
        if kinds is not None and "null" not in _as_list(kinds):
            result["type"] = [*_as_list(kinds), "null"]
        if isinstance(choices, list) and None not in choices:
            result["enum"] = [*choices, None]
        return result


_BOUNDS: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_BRANCHING: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "if"})


def _name(key: str) -> str:
    return f"{shortened(key, 40)!r}"


def _as_list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _is_names(value: JsonValue) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _same_or_new(old: list[JsonValue], new: list[JsonValue]) -> list[JsonValue]:
    return old if all(left is right for left, right in zip(old, new, strict=True)) else new
