"""Specs as they are found in the wild, with how each is read.

A row has a name, the tool, the codes of its findings, arguments that are valid, and arguments that are not.
"""

from typing import Any, NamedTuple

LEFT_OUT = "spec-unsound"


class Wild(NamedTuple):
    """A spec, and what must hold for it wherever tools are given."""

    tool: dict[str, Any]
    codes: tuple[str, ...] = ()
    """Codes of warnings and errors, without repetitions. With `spec-unsound`, the tool is left out."""
    valid: dict[str, Any] | None = None
    """Arguments without an error."""
    invalid: dict[str, Any] | None = None
    """Arguments with an error."""


def tool(parameters: Any = None, **function: Any) -> dict[str, Any]:
    """Return a tool with the name `wild`."""
    return {
        "type": "function",
        "function": {"name": "wild", "description": "Odd.", "parameters": parameters, **function},
    }


def of(**properties: Any) -> dict[str, Any]:
    """Return a tool with these properties."""
    return tool({"type": "object", "properties": properties})


def drafted(uri: str, **schema: Any) -> dict[str, Any]:
    """Return a tool whose parameters name their draft."""
    return tool({"$schema": uri, "type": "object", **schema})


D4, D6, D7 = (f"http://json-schema.org/draft-0{number}/schema#" for number in (4, 6, 7))
D19, D20 = (f"https://json-schema.org/draft/{date}/schema" for date in ("2019-09", "2020-12"))
PAIR = {"type": "array", "items": [{"type": "number"}, {"type": "string"}]}
CARD = {"properties": {"card": {}, "zip": {}}, "dependencies": {"card": ["zip"]}}
LOOK = "^(?!tmp)\\w+$"

WILD: dict[str, Wild] = {
    # Nothing unusual: no finding.
    "plain": Wild(of(a={"type": "integer"}), (), {"a": 1}, {"a": "x"}),
    "no parameters": Wild({"type": "function", "function": {"name": "wild"}}, (), {}),
    "empty parameters": Wild(tool({}), (), {"a": 1}),
    "boolean schema": Wild(of(a=True, b=False), (), {"a": 1}, {"b": 1}),
    "a dot in the name": Wild({"name": "math.wild", "parameters": {"type": "object"}}, (), {}),
    "nullable": Wild(of(a={"type": "string", "nullable": True}), (), {"a": None}, {"a": 1}),
    "nullable enum": Wild(of(a={"enum": ["x"], "type": "string", "nullable": True}), (), {"a": None}, {"a": "y"}),
    "nullable reference": Wild(
        tool({"type": "object", "properties": {"a": {"$ref": "#/$defs/x", "nullable": True}}, "$defs": {"x": {"type": "integer"}}}),
        (), {"a": None}, {"a": "y"},
    ),
    "nullable union": Wild(of(a={"anyOf": [{"type": "integer"}, {"type": "boolean"}], "nullable": True}), (), {"a": None}, {"a": "y"}),
    "const null": Wild(of(a={"const": None}), (), {"a": None}, {"a": 1}),
    "default null": Wild(of(a={"type": "string", "default": None}), (), {"a": "x"}, {"a": 1}),
    "percent-encoded reference": Wild(
        tool({"type": "object", "properties": {"a": {"$ref": "#/$defs/My%20Type"}}, "$defs": {"My Type": {"type": "integer"}}}),
        (), {"a": 1}, {"a": "x"},
    ),
    "reference into a list": Wild(
        of(a={"anyOf": [{"type": "integer"}, {"type": "null"}]}, b={"$ref": "#/properties/a/anyOf/0"}), (), {"b": 1}, {"b": "x"}
    ),
    "anchor": Wild(
        tool({"type": "object", "properties": {"a": {"$ref": "#x"}}, "$defs": {"x": {"$anchor": "x", "type": "integer"}}}),
        (), {"a": 1}, {"a": "x"},
    ),
    # `$schema` decides the draft.
    "draft 7 tuple": Wild(drafted(D7, properties={"a": PAIR}), (), {"a": [1, "x"]}, {"a": ["x", 1]}),
    "draft 7 additionalItems": Wild(drafted(D7, properties={"a": {**PAIR, "additionalItems": False}}), (), {"a": [1]}, {"a": [1, "x", 2]}),
    "draft 7 dependencies": Wild(drafted(D7, **CARD), (), {"card": 1, "zip": 2}, {"card": 1}),
    "draft 7 dependent schema": Wild(
        drafted(D7, dependencies={"card": {"required": ["zip"]}}), (), {"zip": 2}, {"card": 1}
    ),
    "draft 7 anchor": Wild(
        drafted(D7, properties={"a": {"$ref": "#x"}}, definitions={"x": {"$id": "#x", "type": "integer"}}), (), {"a": 1}, {"a": "x"}
    ),
    "draft 7 if": Wild(drafted(D7, **{"if": {"required": ["a"]}, "then": {"required": ["b"]}}), (), {"a": 1, "b": 1}, {"a": 1}),
    "draft 7 over https, without #": Wild(drafted("https://json-schema.org/draft-07/schema", properties={"a": PAIR}), (), {"a": [1]}, {"a": ["x"]}),
    "draft 6": Wild(drafted(D6, properties={"a": PAIR}), (), {"a": [1, "x"]}, {"a": ["x"]}),
    "draft 4 bounds": Wild(
        drafted(D4, properties={"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}}), (), {"a": 2}, {"a": 1}
    ),
    "draft 4 id": Wild(
        drafted(D4, properties={"a": {"$ref": "#x"}}, definitions={"x": {"id": "#x", "type": "integer"}}), (), {"a": 1}, {"a": "x"}
    ),
    "draft 2019-09": Wild(
        drafted(D19, properties={"a": PAIR}, dependentRequired={"a": ["b"]}), (), {"a": [1, "x"], "b": 1}, {"a": [1]}
    ),
    "draft 2020-12": Wild(drafted(D20, properties={"a": {"prefixItems": [{"type": "number"}]}}), (), {"a": [1]}, {"a": ["x"]}),
    "a draft that is a number": Wild(tool({"$schema": 7, "type": "object"}), ("spec-annotation",), {}),
    "unknown draft": Wild(drafted("https://example.com/my-draft", properties={"a": {"type": "integer"}}), ("spec-draft",), {"a": 1}, {"a": "x"}),
    "tuple without draft": Wild(of(a=PAIR), ("spec-tuple",), {"a": [1, "x"]}, {"a": ["x", 1]}),
    "dependencies without draft": Wild(tool({"type": "object", **CARD}), (), {"card": 1, "zip": 1}, {"card": 1}),
    "bounds of draft 4 without draft": Wild(
        of(a={"type": "number", "maximum": 5, "exclusiveMaximum": True}), ("spec-bounds",), {"a": 4}, {"a": 5}
    ),
    # Not checked, but offered.
    "look-ahead": Wild(of(a={"pattern": LOOK}, b={"type": "integer"}), ("schema-pattern",), {"a": "tmp"}, {"b": "x"}),
    "look-behind in an array": Wild(of(a={"items": {"pattern": "(?<=a)b"}}), ("schema-pattern",), {"a": ["c"]}, None),
    "back-reference": Wild(of(a={"pattern": "(a)\\1"}), ("schema-pattern",), {"a": "b"}),
    "large repetition": Wild(of(a={"type": "string", "pattern": "^.{1,2000}$"}), ("schema-pattern",), {"a": ""}, {"a": 1}),
    "no pattern at all": Wild(of(a={"pattern": "["}, b={"type": "integer"}), ("schema-pattern",), {"a": "x"}, {"b": "x"}),
    "pattern of names": Wild(
        tool({"type": "object", "patternProperties": {"^(?!x)": {"type": "integer"}}, "additionalProperties": False}),
        ("schema-pattern",), {"a": "x"},
    ),
    "unicode class": Wild(of(a={"pattern": "^\\p{Letter}+$"}), (), {"a": "añb"}, {"a": "1"}),
    "script": Wild(of(a={"pattern": "^\\p{Script=Greek}+$"}), (), {"a": "αβ"}, {"a": "a"}),
    "white space": Wild(of(a={"pattern": "^\\s$"}), (), {"a": "\u00a0"}, {"a": "a"}),
    "remote reference": Wild(of(a={"$ref": "https://example.com/x.json"}, b={"type": "integer"}), ("schema-ref",), {"a": 1}, {"b": "x"}),
    "reference to a file": Wild(of(a={"$ref": "file:///etc/passwd"}), ("schema-ref",), {"a": 1}),
    "reference to nothing": Wild(of(a={"$ref": "#/$defs/none"}, b={"type": "integer"}), ("schema-ref",), {"a": 1}, {"b": "x"}),
    # Read as what it means.
    "parameters null": Wild(tool(None), ("spec-nulls",), {}),
    "parameters an empty list": Wild(tool([]), ("spec-empty",), {}),
    "properties null": Wild(tool({"type": "object", "properties": None}), ("spec-nulls",), {"a": 1}),
    "properties an empty list": Wild(tool({"type": "object", "properties": []}), ("spec-empty",), {}),
    "items an empty list": Wild(of(a={"type": "array", "items": []}), ("spec-empty",), {"a": [1]}, {"a": 1}),
    "additionalProperties an empty list": Wild(tool({"type": "object", "additionalProperties": []}), ("spec-empty",), {"a": 1}),
    "a property that is an empty list": Wild(of(a=[], b={"type": "integer"}), ("spec-empty",), {"a": 1}, {"b": "x"}),
    "required null": Wild(tool({"type": "object", "properties": {"a": {"type": "integer"}}, "required": None}), ("spec-nulls",), {}, {"a": "x"}),
    "description null": Wild(of(a={"type": "integer", "description": None}), ("spec-nulls",), {"a": 1}, {"a": "x"}),
    "enum null": Wild(of(a={"type": "integer", "enum": None, "items": None}), ("spec-nulls",), {"a": 1}, {"a": "x"}),
    "property null": Wild(of(a={"type": "integer"}, zone=None), ("spec-nulls",), {"a": 1}, {"a": "x"}),
    "filled by Arrow": Wild(of(a={"type": "integer", "const": None, "enum": None}), ("spec-nulls",), {"a": 1}, {"a": None}),
    "tool description null": Wild(tool({"type": "object"}, description=None), (), {}),
    "float": Wild(of(a={"type": "float"}), ("spec-types",), {"a": 1.5}, {"a": "x"}),
    "dict": Wild(tool({"type": "dict", "properties": {"a": {"type": "dict"}}}), ("spec-types",), {"a": {}}, {"a": 1}),
    "any": Wild(of(a={"type": "any"}, b={"type": "int"}), ("spec-types",), {"a": None}, {"b": "x"}),
    "list": Wild(of(a={"type": "list", "items": {"type": "str"}}), ("spec-types",), {"a": ["x"]}, {"a": [1]}),
    "tuple": Wild(of(a={"type": "tuple"}), ("spec-types",), {"a": []}, {"a": 1}),
    "bool": Wild(of(a={"type": "bool"}), ("spec-types",), {"a": True}, {"a": "x"}),
    "List[int]": Wild(of(a={"type": "List[int]"}), ("spec-types",), {"a": [1]}, {"a": ["x"]}),
    "string[]": Wild(of(a={"type": "string[]"}), ("spec-types",), {"a": ["x"]}, {"a": "x"}),
    "array<integer>": Wild(of(a={"type": "array<integer>"}), ("spec-types",), {"a": [1]}, {"a": ["x"]}),
    "int | None": Wild(of(a={"type": "int | None"}), ("spec-types",), {"a": None}, {"a": "x"}),
    "Union[int, str]": Wild(of(a={"type": "Union[int, str]"}), ("spec-types",), {"a": "x"}, {"a": None}),
    "types in capitals": Wild(tool({"type": "OBJECT", "properties": {"a": {"type": "INTEGER"}}}), ("spec-types",), {"a": 1}, {"a": "x"}),
    "null in a list of types": Wild(of(a={"type": ["string", None]}), ("spec-types",), {"a": None}, {"a": 1}),
    "a type twice": Wild(of(a={"type": ["string", "string"]}), ("spec-types",), {"a": "x"}, {"a": 1}),
    "only a type name": Wild(of(a="integer"), ("spec-types",), {"a": 1}, {"a": "x"}),
    "required in a property": Wild(of(a={"type": "integer", "required": True}), ("spec-required",), {"a": 1}, {}),
    "not required in a property": Wild(of(a={"type": "integer", "required": False}), ("spec-required",), {}, {"a": "x"}),
    "required deeper": Wild(
        of(a={"type": "object", "properties": {"b": {"required": True}}}), ("spec-required",), {"a": {"b": 1}}, {"a": {}}
    ),
    "required among the properties": Wild(of(a={"type": "integer"}, required=["a"]), ("spec-required",), {"a": 1}, {}),
    "one required name": Wild(tool({"type": "object", "properties": {"a": {}}, "required": "a"}), ("spec-required",), {"a": 1}, {}),
    "a name twice in required": Wild(
        tool({"type": "object", "properties": {"a": {}}, "required": ["a", "a"]}), ("spec-required",), {"a": 1}, {}
    ),
    "a flag at the top": Wild(tool({"type": "object", "required": True}), ("spec-required",), {}),
    "required an empty text": Wild(tool({"type": "object", "properties": {"a": {}}, "required": ""}), ("spec-required",), {}),
    "required an empty object": Wild(tool({"type": "object", "properties": {"a": {}}, "required": {}}), ("spec-required",), {}),
    "a null in required": Wild(tool({"type": "object", "properties": {"a": {}}, "required": ["a", None]}), ("spec-required",), {"a": 1}, {}),
    "only a null in required": Wild(tool({"type": "object", "properties": {"a": {}}, "required": [None]}), ("spec-required",), {}),
    "required but not declared": Wild(
        tool({"type": "object", "properties": {"a": {}}, "required": ["b"]}), ("required-not-declared",), {"b": 1}, {"a": 1}
    ),
    "empty enum": Wild(of(a={"type": "string", "enum": []}), ("spec-enum",), {"a": "x"}, {"a": 1}),
    "a value twice in enum": Wild(of(a={"enum": ["x", "x"]}), (), {"a": "x"}, {"a": "y"}),
    "description that is a list": Wild(of(a={"type": "integer", "description": ["A", "b"]}), ("spec-annotation",), {"a": 1}, {"a": "x"}),
    "examples that are a text": Wild(of(a={"type": "integer", "examples": "5"}), ("spec-annotation",), {"a": 1}, {"a": "x"}),
    "a space in the name": Wild({"name": "my wild", "parameters": {"type": "object"}}, ("spec-name",), {}),
    "a long name": Wild({"name": "w" * 80, "parameters": {"type": "object"}}, ("spec-name",), {}),
    "a name of other letters": Wild({"name": "météo", "parameters": {"type": "object"}}, ("spec-name",), {}),
    # Cannot be used: left out.
    "no name": Wild(tool({}, name=""), (LEFT_OUT,)),
    "no function": Wild({"type": "function"}, (LEFT_OUT,)),
    "arguments that are not an object": Wild(tool({"type": "string"}), (LEFT_OUT,)),
    "parameters a number": Wild(tool(5), (LEFT_OUT,)),
    "unknown type": Wild(of(a={"type": "objekt"}), (LEFT_OUT,)),
    "negative length": Wild(of(a={"minLength": -1}), (LEFT_OUT,)),
    "properties a text": Wild(tool({"type": "object", "properties": "a"}), (LEFT_OUT,)),
    "a tool of a server": Wild({"type": "web_search", "name": "wild"}, (LEFT_OUT,)),
}  # fmt: skip
GOOD: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "good",
        "description": "Count.",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    },
}
