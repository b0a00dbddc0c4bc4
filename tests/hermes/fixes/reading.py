"""Test texts for findings of the reader, one table per code."""

from typing import Final

from tests.hermes.fixes.table import Table

TABLES: Final = {
    "truncated": Table(
        noop=(
            "ok <tool_",
            '<tool_call>\n{"name": "f", "arguments": {}}',
            '<tool_call>\n{"name": "f", "arguments": {"q": "..."}}\n</tool_call>',
            '<tool_call>{"a": "x</tool_call>',
        ),
        rows=(
            ("ok <tool_call>", "<tool_call>"),
            (
                '<tool_call>\n{"name": "f", "arguments": {"a": tr',
                '<tool_call>\n{"name": "f", "arguments": {"a": tr',
            ),
            ("<tool_call>\n<function=f>\n<parameter=s>\nx", "<tool_call>\n<function=f>\n<parameter=s>\nx"),
        ),
    ),
    "invalid-json": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "{bad}"}}\n</tool_call>',
            '<tool_call>\n"x"\n</tool_call>',
            "<tool_call>\n\n</tool_call>",
            "<tool_call>\n<function=f\n</tool_call>",
        ),
        rows=(
            ("<tool_call>\n{bad}\n</tool_call>", "<tool_call>\n{bad}\n</tool_call>"),
            ("<tool_call>\nnot valid json\n</tool_call>", "<tool_call>\nnot valid json\n</tool_call>"),
            (
                '<tool_call>\n{"name": "f", "arguments": {"o": ["k": "v"]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"o": ["k": "v"]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"o": ["a", \'k\': 1]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"o": ["a", \'k\': 1]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"x": Paris}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"x": Paris}}\n</tool_call>',
            ),
        ),
    ),
    "invalid-xml": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\n<b\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n{bad}\n</tool_call>",
            "<function=f",
        ),
        rows=(
            (
                "<tool_call>\n<function=f\n</function>\n</tool_call>",
                "<tool_call>\n<function=f\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=f>\n<b>text</b>\n</function>\n</tool_call>",
                "<tool_call>\n<function=f>\n<b>text</b>\n</function>\n</tool_call>",
            ),
        ),
    ),
    "empty-block": Table(
        noop=(
            "<tool_call>\n{}\n</tool_call>",
            "<tool_call>\n<function=g>\n\n</function>\n</tool_call>",
            "<tool_call>\nnull\n</tool_call>",
            "<tool_call>",
        ),
        rows=(
            ("<tool_call>\n\n</tool_call>", "<tool_call>\n\n</tool_call>"),
            ("<tool_call>\n[]\n</tool_call>", "[]"),
        ),
    ),
    "not-an-object": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            "<tool_call>\nnot json\n</tool_call>",
            "<tool_call>\n[]\n</tool_call>",
        ),
        rows=(
            ("<tool_call>\nnull\n</tool_call>", "<tool_call>\nnull\n</tool_call>"),
            ('<tool_call>\n"hello"\n</tool_call>', '<tool_call>\n"hello"\n</tool_call>'),
            ("<tool_call>\n[1, 2]\n</tool_call>", "1, 2"),
        ),
    ),
    "bad-name": Table(
        noop=(
            '<tool_call>\n{"name": "nope", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "get-weather.v2", "arguments": {}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=zzz>\n1\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            ('<tool_call>\n{"name": "", "arguments": {}}\n</tool_call>', '""'),
            ('<tool_call>\n{"name": "get weather", "arguments": {}}\n</tool_call>', '"get weather"'),
            ('<tool_call>\n{"arguments": {}}\n</tool_call>', '{"arguments": {}}'),
            ('<tool_call>\n{"name": 5, "arguments": {}}\n</tool_call>', "5"),
            (
                "<tool_call>\n<function=typed>\n<parameter=a b>\n1\n</parameter>\n</function>\n</tool_call>",
                "a b",
            ),
        ),
    ),
    "arguments-not-object": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": "{}"}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": null}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"a": []}}\n</tool_call>',
        ),
        rows=(
            ('<tool_call>\n{"name": "f", "arguments": []}\n</tool_call>', "[]"),
            ('<tool_call>\n{"name": "f", "arguments": "hello"}\n</tool_call>', '"hello"'),
            (
                '<tool_call>\n{"name": "get_weather", "town": "x"}\n</tool_call>',
                '{"name": "get_weather", "town": "x"}',
            ),
        ),
    ),
    "unknown-member": Table(
        noop=(
            '<tool_call>\n{"id": "c1", "type": "function", "index": 0, "name": "f", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}, "days": 2}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": null, "parameters": {"a": 1}}\n</tool_call>',
        ),
        rows=(
            ('<tool_call>\n{"name": "f", "arguments": {}, "x": 2}\n</tool_call>', '"x": 2'),
            ('<tool_call>\n{"x": {"y": 2}, "name": "f", "arguments": {}}\n</tool_call>', '"x": {"y": 2}'),
            (
                '<tool_call>\n{"name": "f", "arguments": {}, "x": 2, "id": 1, "y": 3}\n</tool_call>',
                '"x": 2, "id": 1, "y": 3',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}, "city": "Q"}\n</tool_call>',
                '"city": "Q"',
            ),
            ('<tool_call>\n{"name": "f", "tool": "g", "arguments": {}}\n</tool_call>', '"tool": "g"'),
            (
                '<tool_call>\n{"name": "f", "arguments": {}, "parameters": {"a": 1}}\n</tool_call>',
                '"parameters": {"a": 1}',
            ),
            (
                '<tool_call>\n{"type": "function", "function": {"name": "f", "arguments": {}}, "x": 2}\n</tool_call>',
                '"x": 2',
            ),
            ('<tool_call>\n[{"name": "f", "arguments": {}, "x": 2}]\n</tool_call>', '"x": 2'),
            ('<tool_call>\n{"name": "nope", "arguments": {}, "x": 2}\n</tool_call>', '"x": 2'),
        ),
    ),
    "unknown-tool": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": " f", "arguments": {}}\n</tool_call>',
            "<tool_call>\n{bad}\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\n{"name": "nope", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "nope", "arguments": {}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=nope>\n\n</function>\n</tool_call>",
                "<tool_call>\n<function=nope>\n\n</function>\n</tool_call>",
            ),
            (
                '<tool_call>\n{"name": "get_wether", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "get_wether", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "foreign-dialect": Table(
        noop=(
            '<tool_call>\nSure: {"name": "f", "arguments": {}}\n</tool_call>',
            "<tool_call>\nsee f and g\n</tool_call>",
            '<tool_call>\n{"name": "f", "arguments": {"q": "f(a=1)"}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\nget_weather(city="P")\n</tool_call>',
                '<tool_call>\nget_weather(city="P")\n</tool_call>',
            ),
            (
                "<tool_call>\nto=functions.f json\n{}\n</tool_call>",
                "<tool_call>\nto=functions.f json\n{}\n</tool_call>",
            ),
            (
                "<tool_call>\nf\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
                "<tool_call>\nf\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
            ),
        ),
    ),
    "partial-list": Table(
        noop=(
            '{"name": "f", "arguments": {}}; {"name": "g", "arguments": {}}',
            '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]',
            '{"name": "f", "arguments": {}}\nDone.',
            "f(a=1)\ng(b=2)\nThat is all (for now).",
            '[{"id": 7}, {"name": "Ada", "arguments": {"age": 36}}]',
            '[{"name": "nope", "arguments": {}}, {"name": "other", "arguments": {}}]',
            '{"name": "f", "description": "Anything.", "parameters": {"type": "object"}}',
        ),
        rows=tuple(
            (text, text)
            for text in (
                '{"name": "f", "arguments": {}}; {"name": "g", "arguments": ',
                '{"name": "f", "arguments": {}}, {"id": 7}',
                '{"name": "f", "arguments": {"a": 1}\n{"name": "g", "arguments": {}}',
                '[{"name": "f", "arguments": {}},\n{"name": "g", "arguments": {}}',
                '[{"name": "f", "arguments": {}}, {"name": "nope", "arguments": {}}]',
                "[f(a=1),\n g(b=x)]",
                "f(a=1\ng(b=2)",
                "f(a=1)\nprint(2)",
            )
        ),
        options={"level": "lenient"},
    ),
    "call-in-reasoning": Table(
        noop=(
            "<think>use <tool_call> well</think>",
            '<think>a</think><tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            "<think>{}</think>",
        ),
        rows=(
            (
                '<think><tool_call>\n{"name": "f", "arguments": {}}\n</tool_call></think>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            ("<think>a<tool_call>\nx\n</tool_call>b</think>", "<tool_call>\nx\n</tool_call>"),
        ),
    ),
    "untagged-call": Table(
        noop=(
            'See {"name": "f", "arguments": {}}',
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            '{"name": "Ada", "age": 3}',
            "<function=nope>\n</function>",
            '[{"name": "f", "arguments": {}}]',
        ),
        rows=(
            ('{"name": "f", "arguments": {}}', '{"name": "f", "arguments": {}}'),
            ('```json\n{"name": "f", "arguments": {}}\n```', '```json\n{"name": "f", "arguments": {}}\n```'),
            ("A\n<function=f>\n</function>\nB", "<function=f>\n</function>"),
            ('{"name": "f", "arguments": {}}<|im_end|>', '{"name": "f", "arguments": {}}'),
        ),
    ),
    "format-mismatch": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n{bad}\n</tool_call>",
            "{}",
        ),
        rows=(
            ('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', '{"name": "f", "arguments": {}}'),
            (
                '<tool_call>\n[{"name": "f", "arguments": {}}]\n</tool_call>',
                '[{"name": "f", "arguments": {}}]',
            ),
        ),
        options={"dialect": "xml"},
    ),
    "non-finite-number": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"x": "NaN"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"x": 1e308}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=s>\ninf\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            ('<tool_call>\n{"name": "f", "arguments": {"x": NaN}}\n</tool_call>', "NaN"),
            ('<tool_call>\n{"name": "f", "arguments": {"x": -Infinity}}\n</tool_call>', "-Infinity"),
            ('<tool_call>\n{"name": "f", "arguments": {"x": 1e999}}\n</tool_call>', "1e999"),
            (
                "<tool_call>\n<function=typed>\n<parameter=n>\ninf\n</parameter>\n</function>\n</tool_call>",
                "inf",
            ),
        ),
    ),
    "leading-zero": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"x": "007"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"x": 0.7}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=i>\n007\n</parameter>\n</function>\n</tool_call>",
            '<tool_call>\n{"name": "f", "arguments": {"x": 0}}\n</tool_call>',
        ),
        rows=(
            ('<tool_call>\n{"name": "f", "arguments": {"x": 007}}\n</tool_call>', "007"),
            ('<tool_call>\n{"name": "f", "arguments": {"x": -01}}\n</tool_call>', "-01"),
        ),
    ),
    "lone-surrogate": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"x": "\\ud83d\\ude00"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"x": "\\\\ud800"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"x": "😀"}}\n</tool_call>',
        ),
        rows=(
            ('<tool_call>\n{"name": "f", "arguments": {"x": "\\ud800"}}\n</tool_call>', '"\\ud800"'),
            (
                '<tool_call>\n{"name": "f", "arguments": {"x": "\\ude00\\ud83d"}}\n</tool_call>',
                '"\\ude00\\ud83d"',
            ),
        ),
    ),
    "duplicate-key": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"a": {"b": 1}, "b": 2}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"a": 1, "A": 2}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=s>\n1\n</parameter>\n<parameter=i>\n2\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            ('<tool_call>\n{"name": "f", "arguments": {"a": 1, "a": 2}}\n</tool_call>', '"a"'),
            ('<tool_call>\n{"name": "f", "arguments": {"l": [{"a": 1, "a": 1}]}}\n</tool_call>', '"a"'),
        ),
    ),
    "duplicate-parameter": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\n1\n</parameter>\n<parameter=i>\n2\n</parameter>\n</function>\n</tool_call>",
            '<tool_call>\n{"name": "f", "arguments": {"s": 1, "s": 2}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=s>\na <parameter=s> b\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\n1\n</parameter>\n<parameter=s>\n2\n</parameter>\n</function>\n</tool_call>",
                "s",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\n1\n</parameter>\n<parameter=i>\n2\n</parameter>\n<parameter=s>\n3\n</parameter>\n</function>\n</tool_call>",
                "s",
            ),
        ),
    ),
    "ambiguous-escape": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"p": "C:\\dir"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"p": "C:\\\\new\\n"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"a": "\\d", "b": "\\n"}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"p": "C:\\Users\\new"}}\n</tool_call>',
                '"C:\\Users\\new"',
            ),
            ('<tool_call>\n{"name": "f", "arguments": {"q": "\\d\\t"}}\n</tool_call>', '"\\d\\t"'),
        ),
    ),
    "ambiguous-end": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\n<function=g>\n<parameter=k>\nv\n</parameter>\n</function>\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\na </parameter> b\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\na </tool_call> b\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\n<function=g>\n<parameter=k>\nv\n</parameter>\n</function>\n</tool_call>",
                "\n<function=g>\n<parameter=k>\nv\n</parameter>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\na </function> b\n</parameter>\n</function>\n</tool_call>",
                "\na </function> b\n</parameter>",
            ),
        ),
    ),
    "ambiguous-value": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=e>\n007\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=e>\nnull\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\n5\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=i>\n5\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=e>\n5\n</parameter>\n</function>\n</tool_call>",
                "5",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=e>\n-1\n</parameter>\n</function>\n</tool_call>",
                "-1",
            ),
        ),
    ),
    "ambiguous-parameter": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\na <parameter=i> b\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\na\n<parameter=zzz>\nb\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\na\n</parameter>\n<parameter=i>\n1\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n<parameter=i>\n3\n</parameter>\n</function>\n</tool_call>",
                "<parameter=i>",
            ),
            (
                "<tool_call>\n<function=f>\n<parameter=a>\nx\n<parameter=b>\n3\n</parameter>\n</function>\n</tool_call>",
                "<parameter=b>",
            ),
        ),
    ),
}
