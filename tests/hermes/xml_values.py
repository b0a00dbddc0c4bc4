"""Schemas of a parameter, with values that it allows. The XML families write each of them."""

from typing import Any, Final

STRING: Final = {"type": "string"}
INTEGER: Final = {"type": "integer"}
NULL: Final = {"type": "null"}
OBJECT: Final = {"type": "object"}
ARRAY: Final = {"type": "array"}
STRINGS: Final = (
    "", " ", "\n", "x", "5", "-1", "007", "1.0", "1e5", "true", "True", "null", "None", "NaN", '"quoted"', "'single'",
    "{}", '{"a": 1}', "[1, 2]", "(1, 2)", "\nleading", "trailing\n", " both ", "two\n\nlines\n", "ü 漢字 😀", "a\\nb",
    "</parameter>", "see </parameter> here", "x </tool_call> y", "<function=f>", "<parameter=v>", "a </function> b",
    "<tool_call>\n<function=f>\n<parameter=v>\n1\n</parameter>\n</function>\n</tool_call>",
    "<parameter=v>1</parameter>", "End: </parameter>\n</function>\n</tool_call>", "<tool_call>\n{}\n</tool_call>",
    "<b>bold</b>", "a & b &lt;", "\ttab", "\r\n", "x\r",
)  # fmt: skip
NUMBERS: Final = (0, 5, -7, 10**25, 0.5, -0.0, 1e10, 1e-7, 1.0, 2**53 + 1)
OTHERS: Final[tuple[Any, ...]] = (
    None, True, False, {}, [], {"a": 1}, {"a": None, "b": [True, "x"]}, ["a", 1, None, 2.5], [[]], ["null", "5"],
    {"t": "</parameter>"}, ["<function=f>"], {"k": "<tool_call>\n<function=f>\n</function>\n</tool_call>"}, ["ü", "\n"],
    {"deep": {"list": [{"x": ""}]}}, ["it's", 'a "b"'], {"": 0}, [-0.0, 1e300], {"<parameter=v>": 1},
)  # fmt: skip
VALUES: Final[tuple[Any, ...]] = (*STRINGS, *NUMBERS, *OTHERS)


def union(*schemas: Any) -> Any:
    return {"anyOf": list(schemas)}


SCHEMAS: Final[dict[str, Any]] = {
    "string": STRING,
    "integer": INTEGER,
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "null": NULL,
    "object": OBJECT,
    "array": ARRAY,
    "any": {},
    "any, described": {"description": "Whatever you like."},
    "true": True,
    "string or null": union(STRING, NULL),
    "string or null, list": {"type": ["string", "null"]},
    "null or string, list": {"type": ["null", "string"]},
    "string, nullable": {"type": "string", "nullable": True},
    "integer, nullable": {"type": "integer", "nullable": True},
    "object, nullable": {"type": "object", "nullable": True},
    "integer or null": union(INTEGER, NULL),
    "number or null": {"type": ["number", "null"]},
    "boolean or null": {"type": ["boolean", "null"]},
    "array or null": {"type": ["array", "null"]},
    "string or integer": union(STRING, INTEGER),
    "string or number": {"type": ["string", "number"]},
    "string or boolean": {"type": ["string", "boolean"]},
    "string or object": union(OBJECT, STRING),
    "string or array": {"oneOf": [STRING, ARRAY]},
    "string or list of strings": union(STRING, {"type": "array", "items": STRING}),
    "list of strings or one": union({"type": "array", "items": STRING}, STRING),
    "all types by name": {"type": ["string", "number", "boolean", "null", "object", "array"]},
    "all but string": {"type": ["number", "boolean", "null", "object", "array"]},
    "boolean or integer": {"type": ["boolean", "integer"]},
    "object or array": {"type": ["object", "array"]},
    "enum of strings": {"enum": ["x", "5", "null", "true"]},
    "enum, mixed": {"enum": ["a", 5, None, True]},
    "enum, the same twice": {"enum": ["5", 5, "null", None]},
    "enum of numbers": {"enum": [0, 5, 0.5]},
    "enum with null": {"type": ["string", "null"], "enum": ["x", None]},
    "enum of objects": {"enum": [{"a": 1}, []]},
    "const string": {"const": "5"},
    "const number": {"const": 5},
    "const null": {"const": None},
    "const true": {"const": True},
    "number or word": union({"type": "number"}, {"enum": ["x", ""]}),
    "object or word": {"oneOf": [OBJECT, {"const": "x"}]},
    "array or pattern": {"oneOf": [ARRAY, {"type": "string", "pattern": "^x$"}]},
    "null or pattern": {"oneOf": [NULL, {"type": "string", "pattern": "^[a-z]{5,}$"}]},
    "string of digits": {"type": "string", "pattern": "^[0-9]+$"},
    "string of digits or number": union({"type": "string", "pattern": "^[0-9]{3}$"}, {"type": "number"}),
    "short string or integer": union({"type": "string", "maxLength": 2}, INTEGER),
    "small integer or string": union({"type": "integer", "maximum": 3}, STRING),
    "all of": {"allOf": [STRING, {"minLength": 1}]},
    "all of, union": {"allOf": [{"type": ["string", "null"]}, {"type": ["string", "integer", "null"]}]},
    "reference": {"$ref": "#/$defs/text"},
    "reference, optional": union({"$ref": "#/$defs/text"}, NULL),
    "reference, percent": {"$ref": "#/$defs/My%20Type"},
    "reference, tilde": {"$ref": "#/$defs/a~1b~0c"},
    "reference, array": {"$ref": "#/$defs/either/anyOf/1"},
    "reference, recursive": {"$ref": "#/$defs/tree"},
    "object with properties": {"type": "object", "properties": {"a": INTEGER}},
    "properties alone": {"properties": {"a": INTEGER}},
    "items alone": {"items": STRING},
    "array of integers": {"type": "array", "items": INTEGER},
    "array of unions": {"type": "array", "items": union(STRING, INTEGER, NULL)},
    "map of integers": {"type": "object", "additionalProperties": INTEGER},
    "not a string": {"not": STRING},
    "no type, limits": {"minimum": 1, "minLength": 1},
}
"""At least 60, by name."""

DEFINITIONS: Final = {
    "text": STRING,
    "My Type": INTEGER,
    "a/b~c": {"type": ["integer", "null"]},
    "either": union(STRING, {"type": "boolean"}),
    "tree": {"type": ["array", "string"], "items": {"$ref": "#/$defs/tree"}},
}


def parameters(schema: Any, **more: Any) -> dict[str, Any]:
    """Return the schema of the arguments of a tool with one parameter `v`."""
    return {"type": "object", "properties": {"v": schema}, "$defs": DEFINITIONS, **more}
