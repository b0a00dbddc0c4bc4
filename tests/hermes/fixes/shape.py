"""Test texts for codes about the shape of a call, one table per code."""

from typing import Final

from tests.hermes.fixes.table import Table

TABLES: Final = {
    "key-alias": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"parameters": 1, "tool": 2}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {}, "input": 1}\n</tool_call>',
            '<tool_call>\n{"name": "f", "payload": {}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "parameters": {"a": 1}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"tool": "f", "args": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"tool_name": "f", "params": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"function_name": "f", "input": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "string-arguments": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": "hello"}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "{\\"a\\": 1}"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": "[1]"}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": "{\\"a\\": 1}"}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": "{\'a\': True}"}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": true}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": "null"}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "double-encoded-call": Table(
        noop=(
            '<tool_call>\n"hello"\n</tool_call>',
            '<tool_call>\n"3"\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "{}"}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n"{\\"name\\": \\"f\\", \\"arguments\\": {}}"\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n"[{\\"name\\": \\"f\\", \\"arguments\\": {}}]"\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "double-encoded-value": Table(
        noop=(
            '<tool_call>\n<function=typed>\n<parameter=s>\n"{}"\n</parameter>\n</function>\n</tool_call>',
            '<tool_call>\n<function=typed>\n<parameter=o>\n{"k": "{}"}\n</parameter>\n</function>\n</tool_call>',
            '<tool_call>\n<function=typed>\n<parameter=i>\n"x"\n</parameter>\n</function>\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n<function=typed>\n<parameter=o>\n"{\\"k\\": 2}"\n</parameter>\n</function>\n</tool_call>',
                '<tool_call>\n<function=typed>\n<parameter=o>\n{"k": 2}\n</parameter>\n</function>\n</tool_call>',
            ),
            (
                '<tool_call>\n<function=typed>\n<parameter=i>\n"7"\n</parameter>\n</function>\n</tool_call>',
                "<tool_call>\n<function=typed>\n<parameter=i>\n7\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                '<tool_call>\n<function=typed>\n<parameter=a>\n"[1, 2]"\n</parameter>\n</function>\n</tool_call>',
                "<tool_call>\n<function=typed>\n<parameter=a>\n[1, 2]\n</parameter>\n</function>\n</tool_call>",
            ),
        ),
    ),
    "missing-arguments": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "parameters": {}}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "city": "P"}\n</tool_call>',
            "<tool_call>\n<function=g>\n\n</function>\n</tool_call>",
            '<tool_call>\n{"name": "f", "arguments": []}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f"}\n</tool_call>',
                '<tool_call>\n{"arguments": {}, "name": "f"}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": ""}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": null}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"id": 1, "type": "function", "name": "f"}\n</tool_call>',
                '<tool_call>\n{"arguments": {}, "id": 1, "type": "function", "name": "f"}\n</tool_call>',
            ),
        ),
    ),
    "openai-wrapper": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"function": {"name": "g"}}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {}, "function": {}}\n</tool_call>',
            '<tool_call>\n{"type": "function"}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"function_call": {"name": "f", "arguments": {}}, "id": 1}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "flattened-arguments": Table(
        noop=(
            '<tool_call>\n{"name": "get_weather", "town": "P"}\n</tool_call>',
            '<tool_call>\n{"name": "f", "a": 1}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "get_weather", "city": "P"}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "city": "P", "days": 2, "id": "c"}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}}\n</tool_call>',
            ),
        ),
    ),
    "single-key-call": Table(
        noop=(
            '<tool_call>\n{"nope": {"a": 1}}\n</tool_call>',
            '<tool_call>\n{"f": 1}\n</tool_call>',
            '<tool_call>\n{"f": {}, "g": {}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"f": {"a": 1}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"get_weather": {"city": "P"}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}\n</tool_call>',
            ),
        ),
    ),
    "argument-outside": Table(
        noop=(
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}, "town": "Q"}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}, "city": "Q"}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"a": 1}, "b": 2}\n</tool_call>',
            '<tool_call>\n{"name": "nope", "arguments": {"a": 1}, "days": 2}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}, "town": 2}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}, "city": "Q"}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}, "days": 2} and "more"\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}, "days": 2, "x": 1}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}, "days": 2\n</tool_call>',
            '<tool_call>\n{"name": "nope", "arguments": {"city": "P"}}, "days": 2}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}, "parameters": {"days": 1, "x": 2}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}, "days": 2}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}, "days": 2}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "parameters": {"city": "P",}}\n, "days": "2"}}\n</TOOL_CALL>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"days": 2, "name": "get_weather", "arguments": {"city": "P"}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}, "days": "2", "x": 1}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}, "x": 1}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"function": {"name": "get_weather", "arguments": "{\\"city\\": \\"P\\"}"}, "days": 2}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"get_weather": {"city": "P"}, "days": 2}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}, "parameters": {"days": 2}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 2}}\n</tool_call>',
            ),
        ),
    ),
    "name-whitespace": Table(
        noop=(
            '<tool_call>\n{"name": "get weather", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {" a ": " b "}}\n</tool_call>',
            "<tool_call>\n<function=\xa0>\n\n</function>\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\n{"name": " f\\n", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function= f >\n\n</function>\n</tool_call>",
                "<tool_call>\n<function=f>\n\n</function>\n</tool_call>",
            ),
        ),
    ),
    "name-prefix": Table(
        noop=(
            '<tool_call>\n{"name": "function.f", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "functions.f"}}\n</tool_call>',
            '<tool_call>\n{"name": "f.functions.", "arguments": {}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "functions.f", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=functions.f>\n\n</function>\n</tool_call>",
                "<tool_call>\n<function=f>\n\n</function>\n</tool_call>",
            ),
        ),
    ),
    "array-block": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"l": [{"name": "g"}]}}\n</tool_call>',
            "<tool_call>\n[1, 2]\n</tool_call>",
            "<tool_call>\n[]\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\n[{"name": "f", "arguments": {}}]\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n[1, {"name": "f", "arguments": {}}]\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "multi-object-block": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
            '<tool_call>\n[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {}}\n{"name": "g", "arguments": {}}',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {}}\n{"name": "g", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {}},\n{"name": "g", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=f>\n</function>\n<function=g>\n</function>\n</tool_call>",
                "<tool_call>\n<function=f>\n</function>\n</tool_call>\n<tool_call>\n<function=g>\n</function>\n</tool_call>",
            ),
        ),
    ),
    "coerced-by-schema": Table(
        noop=(
            '<tool_call>\n{"name": "typed", "arguments": {"s": "42"}}\n</tool_call>',
            '<tool_call>\n{"name": "typed", "arguments": {"i": "007"}}\n</tool_call>',
            '<tool_call>\n{"name": "typed", "arguments": {"b": "True"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"n": "1"}}\n</tool_call>',
            '<tool_call>\n{"name": "typed", "arguments": {"i": 7}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "typed", "arguments": {"i": "42"}}\n</tool_call>',
                '<tool_call>\n{"name": "typed", "arguments": {"i": 42}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "typed", "arguments": {"n": "2.5", "b": "true", "u": "null"}}\n</tool_call>',
                '<tool_call>\n{"name": "typed", "arguments": {"n": 2.5, "b": true, "u": null}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "typed", "arguments": {"a": "[1]", "o": "{}"}}\n</tool_call>',
                '<tool_call>\n{"name": "typed", "arguments": {"a": [1], "o": {}}}\n</tool_call>',
            ),
        ),
    ),
    "constant-case": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=b>\nTrue\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\nTRUE\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=b>\nYES\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=e>\nNULL\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=b>\nTRUE\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=b>\ntrue\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=u>\nNONE\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=u>\nnull\n</parameter>\n</function>\n</tool_call>",
            ),
        ),
    ),
    "lenient-number": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=i>\n7\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\n007\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=i>\n4.5\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=n>\ninf\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=i>\n007\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=i>\n7\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=i>\n+1\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=i>\n1\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=n>\n.5\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=n>\n0.5\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=i>\n100.0\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=i>\n100\n</parameter>\n</function>\n</tool_call>",
            ),
        ),
    ),
}
