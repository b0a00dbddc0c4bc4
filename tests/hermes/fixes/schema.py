"""Test texts for findings about arguments and their schema, one table per code."""

from typing import Final

from tests.hermes.fixes.table import Table
from workbench.toolspec.spec import OfferedTools, ToolSpec

DOUBLING: Final = {
    **{str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}, {"$ref": f"#/$defs/{n + 1}"}]} for n in range(25)},
    "25": {},
}
"""Definitions that each refer to the next one twice: the first one takes 2**25 checks."""
OWN: Final = OfferedTools(
    specs=tuple(
        ToolSpec(document={"type": "function", "function": {"name": name, "parameters": parameters}})
        for name, parameters in (
            ("sized", {"type": "object", "properties": {"size": {"enum": ["s", "m"]}}}),
            ("unsound", {"type": 5}),
            ("costly", {"properties": {"a": {"$ref": "#/$defs/0"}}, "$defs": DOUBLING}),
        )
    )
)


def block(name: str, arguments: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


TABLES: Final = {
    "schema-type": Table(
        noop=(
            '<tool_call>\n{"name": "typed", "arguments": {"i": 3.0, "u": null}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"i": "x"}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=s>\n1\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\n{"name": "typed", "arguments": {"i": "x"}}\n</tool_call>',
                '<tool_call>\n{"name": "typed", "arguments": {"i": "x"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "typed", "arguments": {"b": "True"}}\n</tool_call>',
                '<tool_call>\n{"name": "typed", "arguments": {"b": "True"}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=b>\nyes\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=b>\nyes\n</parameter>\n</function>\n</tool_call>",
            ),
        ),
    ),
    "schema-missing-required": Table(
        noop=(
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}\n</tool_call>',
            '<tool_call>\n{"name": "typed", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": 5}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "write_file", "arguments": {"path": "x"}}\n</tool_call>',
                '<tool_call>\n{"name": "write_file", "arguments": {"path": "x"}}\n</tool_call>',
            ),
        ),
    ),
    "schema-unknown-argument": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"zip": 1}}\n</tool_call>',
            '<tool_call>\n{"name": "typed", "arguments": {"s": "zip"}}\n</tool_call>',
            '<tool_call>\n{"name": "typed", "arguments": {"o": {"zip": 1}}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "typed", "arguments": {"zip": 1}}\n</tool_call>',
                '<tool_call>\n{"name": "typed", "arguments": {"zip": 1}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=zip>\n1\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=zip>\n1\n</parameter>\n</function>\n</tool_call>",
            ),
        ),
    ),
    "schema-invalid": Table(
        noop=(block("sized", '{"size": "s"}'), block("nope", "{}")),
        rows=(
            (block("unsound", '{"a": 1}'), block("unsound", '{"a": 1}')),
            (block("unsound", "{}"), block("unsound", "{}")),
        ),
        options={"tools": OWN},
    ),
    "schema-too-costly": Table(
        noop=(block("costly", '{"b": 1}'), block("costly", "{}"), block("unsound", '{"a": 1}')),
        rows=(
            (block("costly", '{"a": 1}'), block("costly", '{"a": 1}')),
            (block("costly", '{"a": []}'), block("costly", '{"a": []}')),
        ),
        options={"tools": OWN},
    ),
    "schema-enum": Table(
        noop=(block("sized", '{"size": "s"}'), block("sized", "{}"), block("unsound", '{"size": "x"}')),
        rows=(
            (block("sized", '{"size": "x"}'), block("sized", '{"size": "x"}')),
            (block("sized", '{"size": "S"}'), block("sized", '{"size": "S"}')),
        ),
        options={"tools": OWN},
    ),
}
