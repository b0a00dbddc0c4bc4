"""Small schemas, completions, rows, imported tools and archives that would take hours or gigabytes."""

import gzip
import io
import json
from collections.abc import Iterable
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tests.security.pattern_bombs import EVIL_TEXT

Json = Any


def doubling(keyword: str, levels: int = 40) -> Json:
    """Return definitions of which each refers to the next one twice."""
    definitions: Json = {
        f"d{level}": {keyword: [{"$ref": f"#/$defs/d{level + 1}"}, {"$ref": f"#/$defs/d{level + 1}"}]}
        for level in range(levels)
    }
    return definitions | {f"d{levels}": {"type": "integer"}}


def nested(levels: int, key: str) -> Json:
    """Return a schema that is nested in itself to a depth."""
    schema: Json = {}
    for _ in range(levels):
        schema = {key: schema}
    return schema


def _of(schema: Json, value: Json) -> tuple[Json, Json]:
    return {"type": "object", "properties": {"a": schema}}, {"a": value}


def _doubled(keyword: str, value: Json) -> tuple[Json, Json]:
    schema, arguments = _of({"$ref": "#/$defs/d0"}, value)
    return schema | {"$defs": doubling(keyword)}, arguments


SCHEMAS: Final[list[tuple[Json, Json]]] = [
    _doubled("allOf", 1),
    _doubled("allOf", "x"),
    _doubled("anyOf", "x"),
    _doubled("oneOf", 1),
    _doubled("oneOf", "x"),
    ({"$defs": doubling("allOf"), "unevaluatedProperties": False, "$ref": "#/$defs/d0"}, {"a": 1}),
    (
        {
            "unevaluatedProperties": False,
            "$ref": "#/$defs/d0",
            "$defs": {
                f"d{level}": {
                    "dependentSchemas": {name: {"$ref": f"#/$defs/d{level + 1}"} for name in ("a", "b")}
                }
                for level in range(40)
            }
            | {"d40": {}},
        },
        {"a": 1, "b": 2},
    ),
    ({"$dynamicAnchor": "m", "allOf": [{"$dynamicRef": "#m"}, {"$dynamicRef": "#m"}]}, {}),
    ({"$ref": "#"}, {}),
    ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, {}),
    ({"$id": "x", "properties": {"a": {"$ref": "x"}}}, {"a": {"a": {"a": {}}}}),
    _of({"uniqueItems": True}, [{"x": number} for number in range(5000)]),
    _of({"uniqueItems": True}, [number * (2**61 - 1) for number in range(5000)]),
    _of({"items": {"enum": list(range(9000))}}, [8999.0] * 9000),
    _of({"items": {"enum": [{"a": number} for number in range(2000)]}}, [{"a": -1}] * 2000),
    _of({"multipleOf": 1e-300}, 10**4000),
    _of({"multipleOf": 3, "minimum": 10**4000}, 10**4001 + 1),
    _of({"minLength": 10**18, "maxItems": 10**18}, "x"),
    _of({"anyOf": [{"type": "integer"}] * 2500}, ["x" * 90_000]),
    _of({"allOf": [{"items": {"type": "integer"}}] * 2000}, [1] * 5000),
    _of(nested(150, "not"), 1),
    _of(nested(400, "not"), 1),
    _of({"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "(a+)+$"}, EVIL_TEXT),
    (
        {"patternProperties": {f"(x+x+)+{n}": {} for n in range(400)}, "additionalProperties": False},
        {"x" * 60 + str(n): 1 for n in range(400)},
    ),
    (
        {
            "properties": {f"p{n}": {"$ref": "#anchor"} for n in range(1500)},
            "$defs": {"x": {"$anchor": "anchor", "type": "integer"}},
        },
        {f"p{n}": 1 for n in range(1500)},
    ),
    ({"properties": {f"p{n}": {"type": "objekt"} for n in range(2500)}}, {}),
    _of({"items": {"prefixItems": [{"$ref": "#/properties/a"}] * 30}}, [[[[[]] * 30] * 30] * 30]),
]
"""Schemas of tools, with arguments for which validation takes long."""


_CALL: Final = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'
TEXTS: Final = [
    *(piece * (190_000 // len(piece)) for piece in (
        _CALL, "<tool_call>", "<tool_call>\n{", "<", "to=functions.f", "</tool_call>", "<think>", "[", '{"a":', "\\u0041", "<function=f>",
        "<|im_start|>", "```json\n", "\r\n", "a ", "9", "&lt;", "[TOOL_CALLS]", "f(a=", "\ud800",
    )),
    *("<tool_call>\n" + piece * (190_000 // len(piece)) + "\n</tool_call>" for piece in (
        "\n", '"', "{}", "[],", "1,", "1e5,", '{"a":1},', "'", "\\", "e", "é", '"a":', "9",
    )),
]  # fmt: skip
"""Completions to parse: JSON that is nested, damaged or has many values, and many tags."""


def _row(*messages: Json, **more: Json) -> str:
    return json.dumps({"messages": list(messages), **more})


def _tool(parameters: Json) -> Json:
    return {"type": "function", "function": {"name": "f", "description": "d", "parameters": parameters}}


def _pattern_tool(pattern: str) -> Json:
    return _tool({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}})


ROWS: Final = [
    "\n" * 190_000,
    "{}\n" * 60_000,
    "[" * 190_000,
    "[" + "{}," * 60_000 + "{}]",
    '{"messages":[]}\n' * 11_000,
    _row(*[{"role": "user", "content": "x"}] * 5000),
    _row({"role": "user", "content": "x" * 180_000}),
    _row({"role": "assistant", "content": _CALL * 3000}),
    _row({"role": "assistant", "content": "<think>" * 20_000}),
    _row({"role": "user", "content": "<|im_start|>" * 14_000}),
    _row({"role": "user", "content": "x"}, tools=[_tool({})] * 1400),
    _row({"role": "user", "content": "x"}, tools=[_tool({"$ref": "#/$defs/d0", "$defs": doubling("allOf"), "title": f"{n}"}) for n in range(30)]),
    _row({"role": "user", "content": "x"}, tools=[_pattern_tool("(a|b){1,1000}" * 50 + "z" * n) for n in range(90)]),
    _row({"role": "assistant", "content": "", "tool_calls": [
        {"type": "function", "function": {"name": "f", "arguments": '{"a":' * 150 + "1" + "}" * 150}}] * 150}),
    _row({"role": "assistant", "content": "", "tool_calls": [
        {"type": "function", "function": {"name": "f", "arguments": {"a": "abab" * 2000}}}] * 20},
        tools=[_pattern_tool("(?:a?b?){1,500}c")]),
    json.dumps({"conversations": [{"from": "gpt", "value": _CALL * 50}] * 60}),
    json.dumps({"a": {f"k{n}": n for n in range(12_000)}}),
    json.dumps({"prompt": "a" * 90_000, "chosen": "b" * 45_000, "rejected": "c" * 45_000}),
    json.dumps({"text": "<|im_start|>user\n" * 9000}),
    '{"a":' + "9" * 180_000 + "}",
]  # fmt: skip
"""Rows to validate."""


def _component(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def openapi(fields: int, levels: int) -> str:
    """Return an OpenAPI document in which each schema refers to the next one several times."""
    schemas = {
        f"s{level}": {
            "type": "object",
            "properties": {f"f{n}": _component(f"s{level + 1}") for n in range(fields)},
        }
        for level in range(levels)
    } | {f"s{levels}": {"type": "string", "description": "x" * 1000}}
    body = {"content": {"application/json": {"schema": _component("s0")}}}
    return json.dumps(
        {
            "openapi": "3.0.0",
            "paths": {"/a": {"post": {"operationId": "a", "requestBody": body}}},
            "components": {"schemas": schemas},
        }
    )


LIKE_NAMES: Final = json.dumps(
    [{"name": f"tool_of_a_long_name_{number}", "description": "x" * 300} for number in range(280)]
)
IMPORTS: Final = [
    openapi(2, 19),
    openapi(10, 12),
    openapi(40, 5),
    "[" * 100_000,
    '{"a":' * 5000 + "1" + "}" * 5000,
    "a: &a [x, x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a]\n" for n in range(30)),
    "? " * 50_000,
    "[" * 50_000,
    "- " * 400 + "a",
    "[" + "a," * 90_000 + "]",
    "a: " + "9" * 100_000,
    "a: " + "1:" * 60_000 + "1",
    "<<: [" + "{a: 1}," * 25_000 + "]",
    "- a: 1\n  b: [x, y, z]\n" * 8000,
    '[{"name": "f", "parameters": {"const": ' + "9" * 100_000 + "}}]",
    "def f(a: " + "list[" * 3000 + "int" + "]" * 3000 + "):\n  pass",
    "def f(a: " + "|".join(["int"] * 20_000) + "):\n  pass",
    "def f(a=" + "-" * 50_000 + "1):\n  pass",
    LIKE_NAMES,
    LIKE_NAMES,
]
"""Texts that are imported as tools: OpenAPI, JSON, YAML, Python."""


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=6, mtime=0)


def _many(content: bytes, times: int) -> bytes:
    """Return a gzip file of several equal members, which a reader concatenates."""
    return _gzip(content) * times


def _parquet(columns: dict[str, pa.Array]) -> bytes:
    made = io.BytesIO()
    pq.write_table(pa.table(columns), made, compression="zstd")
    return made.getvalue()


def _said(offsets: Iterable[int]) -> pa.Array:
    """Return rows of messages with the same megabyte of text, which is stored once."""
    places = list(offsets)
    again = pa.array([0] * places[-1], pa.int32())
    columns = [pa.DictionaryArray.from_arrays(again, pa.array([text])) for text in ("user", "x" * 1_000_000)]
    messages = pa.StructArray.from_arrays(columns, ["role", "content"])
    return pa.ListArray.from_arrays(pa.array(places, pa.int32()), messages)


def archives() -> dict[str, bytes]:
    """Return files of rows by name. Each is small and becomes huge when it is unpacked."""
    return {
        "line.jsonl.gz": _many(b"x" * 10_000_000, 50),
        "blanks.jsonl.gz": _many(b"\n" * 10_000_000, 30),
        "open.json.gz": _many(b"[" * 10_000_000, 30),
        "spaces.json.gz": _gzip(b"[") + _many(b" " * 10_000_000, 30),
        "text.json.gz": _gzip(b'[{"a":"') + _many(b"x" * 10_000_000, 30),
        "lists.jsonl.gz": _many(b'{"a":[' + b"[]," * 600_000 + b"[]]}\n", 100),
        "rows.jsonl.gz": _many(
            b'{"messages":[{"role":"user","content":"' + b"x" * 1_900_000 + b'"}]}\n', 100
        ),
        "nested.jsonl.gz": _gzip(_gzip(b"\n" * 50_000_000)),
        "again.parquet": _parquet({"messages": _said(range(2001))}),
        "one.parquet": _parquet({"messages": _said([0, 20_000])}),
        "zeros.parquet": _parquet({"a": pa.array([0] * 5_000_000)}),
        "wide.parquet": _parquet({f"c{n}": pa.array(["x"]) for n in range(2000)}),
        "deep.jsonl": b'{"a":' * 50_000,
        "digits.jsonl": b'{"a":' + b"9" * 1_000_000 + b"}\n",
    }
