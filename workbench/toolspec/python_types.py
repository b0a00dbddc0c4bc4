"""Turn schemas that use the type names of Python and other languages into JSON Schema.

Datasets often declare arguments as `"type": "dict"`, `"int, optional"` or `"List[str]"`, which no validator and no
model server accepts. Only names with one meaning are converted; other names stay, and the validator reports them.
"""

import re
from collections.abc import Mapping
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue

TYPES: Final[Mapping[str, str]] = {
    "str": "string",
    "string": "string",
    "char": "string",
    "text": "string",
    "bytes": "string",
    "date": "string",
    "datetime": "string",
    "uuid": "string",
    "int": "integer",
    "integer": "integer",
    "long": "integer",
    "short": "integer",
    "byte": "integer",
    "bigint": "integer",
    "int32": "integer",
    "int64": "integer",
    "float": "number",
    "float32": "number",
    "float64": "number",
    "double": "number",
    "decimal": "number",
    "number": "number",
    "complex": "string",
    "bool": "boolean",
    "boolean": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "frozenset": "array",
    "sequence": "array",
    "array": "array",
    "arraylist": "array",
    "dict": "object",
    "object": "object",
    "hashmap": "object",
    "map": "object",
    "mapping": "object",
    "none": "null",
    "nonetype": "null",
    "null": "null",
}
"""Type names in lower case, and the type of JSON Schema that they mean.

*Source:* rows of Salesforce/xlam-function-calling-60k and Team-ACE/ToolACE; the function documents of the Berkeley
Function-Calling Leaderboard, which also use Java's and JavaScript's names."""
_ANY: Final = frozenset({"any", "object type", "mixed"})
_TYPE: Final = re.compile(r"(?P<word>\w+)\s*+(?:[\[<](?P<inside>.*)[\]>])?", re.DOTALL)
_OPTIONAL: Final = re.compile(r",\s*optional\b.*", re.IGNORECASE | re.DOTALL)
_LONGEST_CHARS: Final = 200
"""Longer type names are not read, because each pair of brackets is read by a call of its own."""


def type_of(written: str) -> JsonObject:
    """Return the schema that a type name of Python stands for; empty if it allows anything or is not known.

    >>> type_of("Optional[List[str]]"), type_of("any")
    ({'type': 'array', 'items': {'type': 'string'}}, {})
    >>> type_of("string[]"), type_of("array<integer>")
    ({'type': 'array', 'items': {'type': 'string'}}, {'type': 'array', 'items': {'type': 'integer'}})
    >>> type_of("Union[int, str]"), type_of("int | None")
    ({'type': ['integer', 'string']}, {'type': ['integer', 'null']})
    """
    if len(written) > _LONGEST_CHARS:
        return {}
    alternatives = _split(written, "|")
    if len(alternatives) > 1:
        return _union(alternatives)
    bare = _OPTIONAL.sub("", written).strip()
    if bare.endswith("[]"):
        return {"type": "array", "items": type_of(bare[:-2])}
    match = _TYPE.fullmatch(bare)
    word = match["word"].lower() if match else ""
    inside = (match["inside"] if match else None) or ""
    if word == "optional":
        return type_of(inside)
    if word == "union":
        return _union(_split(inside, ","))
    kind = TYPES.get(word)
    if kind == "array" and inside and "," not in inside:
        return {"type": "array", "items": type_of(inside)}
    return {"type": kind} if kind else {}


def _union(alternatives: list[str]) -> JsonObject:
    """Return the schema of a value that has one of several types; empty if one of them is not a plain type."""
    kinds = [type_of(alternative) for alternative in alternatives]
    if not all(list(kind) == ["type"] and isinstance(kind["type"], str) for kind in kinds):
        return {}
    names = list(dict.fromkeys(str(kind["type"]) for kind in kinds))
    return {"type": names[0] if len(names) == 1 else cast(JsonValue, names)}


def _split(text: str, mark: str) -> list[str]:
    """Split a text at each `mark` that is not inside brackets."""
    parts = [""]
    depth = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == mark and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def is_optional(parameter: JsonObject) -> bool:
    """Whether a parameter that has its own entry, without a list `required`, may be left out."""
    kind = str(parameter.get("type"))
    return bool(_OPTIONAL.search(kind)) or kind.startswith("Optional") or "default" in parameter


def kind_of(written: JsonValue) -> JsonObject | None:
    """Return the keywords that replace a `type`. Empty if it allows any type; None if the type stays as it is.

    >>> kind_of("float"), kind_of(["int", None]), kind_of("any"), kind_of("string")
    ({'type': 'number'}, {'type': ['integer', 'null']}, {}, None)
    """
    if isinstance(written, list):
        if any(isinstance(name, str) and name.lower() in _ANY for name in written):
            return {}
        names = [
            "null" if name is None else TYPES.get(name.lower()) if isinstance(name, str) else None
            for name in written
        ]
        if None in names or (names == written and len(set(names)) == len(names)):
            return None
        # `["int", "long"]` is one type, and a list must not repeat a type.
        return {"type": cast(JsonValue, list(dict.fromkeys(names)))} if names else {}
    if not isinstance(written, str) or TYPES.get(written) == written:
        return None
    if written.strip().lower() in _ANY:
        return {}
    return type_of(written) or None
