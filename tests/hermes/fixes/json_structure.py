"""Test texts for codes about the structure of JSON and the text around it, one table per code."""

from typing import Final

from tests.hermes.fixes.table import Table

TABLES: Final = {
    "trailing-comma": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "[1,2,]"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"t": (1,)}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": ",}"}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"l": [1, 2,]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"l": [1, 2]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"a": 1, }, }\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1 } }\n</tool_call>',
            ),
        ),
    ),
    "missing-comma": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "\\"a\\" \\"b\\""}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"x": ["a""b"]}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"x": ["he said "a" "b" to me"]}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"x": "a" "b"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"a": 1\n, "b": 2}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"a": 1 "b": 2}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1, "b": 2}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": "a"\n"r": 1}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "a",\n"r": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"l": [1 2]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"l": [1, 2]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"x": ["a" "b" "c"]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"x": ["a", "b", "c"]}}\n</tool_call>',
            ),
            (
                "<tool_call>\n{'name': 'f', 'arguments': {'x': ['a'\n'b', 'c' 1]}}\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {"x": ["a",\n"b", "c", 1]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"x": ["a" {"b": 1} "c"]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"x": ["a", {"b": 1}, "c"]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f" "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "missing-quote": Table(
        noop=(
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P, "zip": "1"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"city": "P, "days": 1}}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"days": 1, "city": "P, "days": "1"}}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P, "days": some"}}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "the {"a": 1, "days": "2"}", "days": 3}}\n</tool_call>',
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P" "days": 1}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P, "days": 1}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P,\n  "days": "1"}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P",\n  "days": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P\n  "days": 1}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"\n  ,"days": 1}}\n</tool_call>',
            ),
            (
                "<tool_call>\n{'name': 'get_weather', 'arguments': {'city': 'P, 'days': 1}}\n</tool_call>",
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather, "arguments": {"city": "P"}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"arguments": {"city": "P, "days": 1}, "name": "get_weather"}\n</tool_call>',
                '<tool_call>\n{"arguments": {"city": "P", "days": 1}, "name": "get_weather"}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"get_weather": {"city": "P, "days": 1}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P", "days": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "get_weather", "arguments": {"days": "1, "city": "P"}}\n</tool_call>',
                '<tool_call>\n{"name": "get_weather", "arguments": {"days": 1, "city": "P"}}\n</tool_call>',
            ),
        ),
    ),
    "unquoted-key": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"a b": 1}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "{a: 1}"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"x": Paris}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {city: "P"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"city": "P"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{name: "f", arguments: {a-b: 1, $c: 2}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a-b": 1, "$c": 2}}\n</tool_call>',
            ),
        ),
    ),
    "comment": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"u": "http://x.y/#z"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "/* a */"}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=s>\n# title\n// x\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"a": 1 // one\n}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1 \n}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {/* c */ "a": 1}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": { "a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", # py\n"arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", \n"arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "add-closing-bracket": Table(
        noop=(
            '<tool_call>{"name": "f", "arguments": {"a": 1}',
            '<tool_call>{"name": "f", "arguments": {"a": 1}\n<tool_call>{"name": "f", "arguments": {}}</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "{["}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"l": [1, 2}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"l": [1, 2]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"l": [{"a": 1\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"l": [{"a": 1}\n]}}</tool_call>',
            ),
        ),
    ),
    "extra-closing-bracket": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "}}]"}}\n</tool_call>',
            '<tool_call>\n{{"name": "f", "arguments": {}}}\n</tool_call>',
            '<tool_call>\n{"name": "f"}, "arguments": {"a": 1}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {}}]}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"l": [1]]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"l": [1]}}\n</tool_call>',
            ),
        ),
    ),
    "double-braces": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "{{x}}"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"o": {}}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"a": 1}}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{{"name": "f", "arguments": {"a": 1}}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{{"name": "f", "arguments": {{"a": 1}}}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
        ),
    ),
    "code-fence": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "```json\\n{}\\n```"}}\n</tool_call>',
            '```\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n```\n',
            "<tool_call>\n<function=typed>\n<parameter=s>\n```\nx\n```\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\n```json\n{"name": "f", "arguments": {}}\n```\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n```\n{"name": "f", "arguments": {}}\n```\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\nSure:\n```json\n{"name": "f", "arguments": {}}\n```\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "skipped-garbage": Table(
        noop=(
            'Sure: <tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call> thanks',
            '<tool_call>\n{"name": "f", "arguments": {}} "x"\n</tool_call>',
            "<tool_call>\n{'name': 'f', 'arguments': {}}, 'a': 1\n</tool_call>",
            '<tool_call>\nsee {x} {"name": "f", "arguments": {}}\n</tool_call>',
            "<tool_call>\n<function=f>\n<parameter=a>\nx </parameter> y\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\nSure: {"name": "f", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {}} thanks\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}} \n</tool_call>',
            ),
            (
                "<tool_call>\nSure:\n<function=f>\n</function>\nok\n</tool_call>",
                "<tool_call>\n<function=f>\n</function>\n\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=f>\nI look.\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=f>\n\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\nand\n<parameter=b>\ny\n</parameter>\nDone.\n"
                "</function>\n</tool_call>",
                "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n\n<parameter=b>\ny\n</parameter>\n\n"
                "</function>\n</tool_call>",
            ),
        ),
    ),
}
