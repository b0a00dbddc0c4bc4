"""Tools are imported from every format, and losses are reported."""

import json

import pytest

from workbench.errors import BadInput
from workbench.toolspec.importers.chat_apis import FORMS, write_tools
from workbench.toolspec.importers.read import import_tools

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
BARE = {"name": "get_weather", "description": "Get it.", "parameters": SCHEMA}
SPEC = {"type": "function", "function": BARE}
ANTHROPIC = {"name": "get_weather", "description": "Get it.", "input_schema": SCHEMA}
MCP = {"name": "get_weather", "description": "Get it.", "inputSchema": SCHEMA}
GEMINI = {
    "name": "get_weather",
    "description": "Get it.",
    "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]},
}


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ([SPEC], "openai"),
        (SPEC, "openai"),
        ({"tools": [SPEC]}, "openai"),
        ({"type": "function", **BARE}, "openai"),
        ([BARE], "bare"),
        ({"functions": [BARE]}, "bare"),
        ([ANTHROPIC], "anthropic"),
        ({"tools": [ANTHROPIC]}, "anthropic"),
        ([{"functionDeclarations": [GEMINI]}], "gemini"),
        ({"tools": [{"function_declarations": [GEMINI]}]}, "gemini"),
        ({"tools": [MCP]}, "mcp"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}}, "mcp"),
    ],
)
def test_each_format_gives_the_same_spec(value, form):
    imported = import_tools(json.dumps(value))
    assert imported.form == form
    assert [spec.document for spec in imported.tools.specs] == [SPEC]
    assert imported.findings == ()


def test_yaml_is_read_and_formats_can_be_mixed():
    text = "tools:\n- {name: a, parameters: {type: object}}\n- {name: b, input_schema: {type: object}}\n"
    imported = import_tools(text)
    assert imported.form == "mixed"
    assert imported.tools.names == ("a", "b")


def test_what_is_left_out_is_reported_with_its_position():
    [finding] = import_tools(json.dumps({"tools": [{**MCP, "annotations": {"readOnlyHint": True}}]})).findings
    assert (finding.code, finding.pointer) == ("import-loss", "/tools/0/annotations")


@pytest.mark.parametrize("form", FORMS)
def test_exported_tools_can_be_imported_again(form):
    specs = import_tools(json.dumps([BARE])).tools.specs
    back = import_tools(json.dumps(write_tools(specs, form)))
    assert back.form == form
    assert back.tools.specs == specs


OPENAPI = """
openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}, description: Which order}
    get:
      operationId: get order!
      summary: Get an order.
      parameters:
        - {name: X-Key, in: header, schema: {type: string}}
        - {name: full, in: query, schema: {type: boolean}}
    put:
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Order"}
components:
  schemas:
    Order:
      type: object
      required: [items]
      properties:
        items: {type: array, items: {$ref: "#/components/schemas/Item"}}
        note: {type: string, nullable: true}
    Item:
      type: object
      properties: {name: {type: string}, part: {$ref: "#/components/schemas/Item"}}
"""


def test_openapi_gives_one_tool_per_operation_with_references_resolved():
    imported = import_tools(OPENAPI)
    get, put = imported.tools.specs
    assert imported.form == "openapi"
    assert (get.name, get.description) == ("get_order", "Get an order.")
    assert get.required == ("id",)
    assert get.properties["id"] == {"type": "string", "description": "Which order"}
    assert put.name == "put__orders_id"
    assert set(put.required) == {"items", "id"}
    assert put.properties["items"]["items"]["properties"]["name"] == {"type": "string"}
    assert put.properties["note"] == {"type": ["string", "null"]}
    messages = [finding.message for finding in imported.findings]
    assert any("the header 'X-Key' was left out" in message for message in messages)
    assert any("was not resolved" in message for message in messages), "the circle ends and is reported"


PYTHON = '''
from typing import Annotated, Literal, Optional

print("this must never run")
raise SystemExit("nor this")

def book(
    title: str,
    seats: int = 2,
    kind: Literal["a", "b"] = "a",
    tags: list[str] | None = None,
    price: Annotated[float, "In euros"] = 1.5,
    extra: dict[str, int] = {},
    other: Thing = None,
    *args,
    when: "Optional[int]" = None,
) -> str:
    """Book a seat.

    Args:
        title: Name of the play,
            as on the poster.
        seats (int): How many.

    Returns:
        A number.
    """
    return __import__("os").system("touch /tmp/ran")

async def later(x):
    """:param x: Anything."""

def _private(): ...

class Holder:
    def method(self): ...
'''


def test_a_python_function_is_parsed_and_never_run(tmp_path):
    imported = import_tools(PYTHON)
    book, later = imported.tools.specs
    assert imported.form == "python"
    assert (book.name, book.description, book.required) == ("book", "Book a seat.", ("title",))
    assert book.properties == {
        "title": {"type": "string", "description": "Name of the play, as on the poster."},
        "seats": {"type": "integer", "description": "How many.", "default": 2},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "price": {"type": "number", "description": "In euros", "default": 1.5},
        "extra": {"type": "object", "additionalProperties": {"type": "integer"}},
        "other": {},
        "when": {"type": ["integer", "null"]},
    }
    assert later.properties == {"x": {"description": "Anything."}}
    assert [finding.pointer for finding in imported.findings] == ["/book/other", "/book/args", "/later/x"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no tools"),
        ("[]", "contains no tools"),
        ("just words", "no tools"),
        ("def f(:\n", r"python, line 1: not Python"),
        ("x = 'def '\n", "no function"),
        ('[{"name": "a", "parameters": {"type": "objekt"}}]', "/function/parameters"),
        ("(" * 5000 + "def ", "not Python"),
        ('{"openapi": "3.0.0", "paths": {"/": {"get": {"operationId": 5}}}}', None),
    ],
)
def test_a_text_that_cannot_be_imported_raises_bad_input_with_the_reason(text, message):
    if message is None:
        assert import_tools(text).tools.names == ("get",)
        return
    with pytest.raises(BadInput, match=message):
        import_tools(text)
