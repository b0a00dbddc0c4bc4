"""Test texts for codes about strings, words and numbers of JSON, one table per code."""

from typing import Final

from tests.hermes.fixes.table import Table

TABLES: Final = {
    "python-literal": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "it\'s", "r": "\'a\'"}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=a>\n['x', (1, 2)]\n</parameter>\n</function>\n</tool_call>",
            '<tool_call>\n{"name": "f", "arguments": {"q": "(1, 2)"}}\n</tool_call>',
        ),
        rows=(
            (
                "<tool_call>\n{'name': 'f', 'arguments': {'a': 1}}\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {\'q\': "it\'s"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "it\'s"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"t": (1, 2)}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"t": [1, 2]}}\n</tool_call>',
            ),
            (
                "<tool_call>\n{'name': 'f', 'arguments': {'q': 'it\\'s \"so\"'}}\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {"q": "it\'s \\"so\\""}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"t": (1,)}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"t": [1]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"n": (3), "s": ("x"), "e": ()}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"n": 3, "s": "x", "e": []}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": ({"o": (("x"))})}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"o": "x"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "typed", "arguments": {"i": ("3")}}\n</tool_call>',
                '<tool_call>\n{"name": "typed", "arguments": {"i": 3}}\n</tool_call>',
            ),
        ),
    ),
    "python-constant": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "True, None"}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=b>\nTrue\n</parameter>\n</function>\n</tool_call>",
            '<tool_call>\n{"name": "f", "arguments": {"b": true, "n": null}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"b": True}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"b": true}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"l": [None, False]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"l": [null, false]}}\n</tool_call>',
            ),
        ),
    ),
    "smart-quotes": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "“hi” ‘x’"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"“k”": 1}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {“q”: “a”}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "a"}}\n</tool_call>',
            ),
            (
                "<tool_call>\n{“name”: “f”, “arguments”: {}}\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": “he said "hi"”}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "he said \\"hi\\""}}\n</tool_call>',
            ),
        ),
    ),
    "raw-control-char": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "a\\nb"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {\n\t"q": 1}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=s>\na\nb\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": "a\nb"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "a\\nb"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": "a\tb\x00"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "a\\tb\\u0000"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": "a\r\nb"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "a\\r\\nb"}}\n</tool_call>',
            ),
        ),
    ),
    "invalid-escape": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"p": "C:\\\\dir"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "\\u00e9\\/"}}\n</tool_call>',
            "<tool_call>\n{'name': 'f', 'arguments': {'q': 'it\\'s'}}\n</tool_call>",
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"p": "C:\\dir"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"p": "C:\\\\dir"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": "\\d+\\.\\w"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "\\\\d+\\\\.\\\\w"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": "it\\\'s"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "it\'s"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": "\\u12"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "\\\\u12"}}\n</tool_call>',
            ),
        ),
    ),
    "unescaped-quote": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "a \\"b\\" c"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {\'q\': "it\'s"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "a" "r": 1}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"q": "he said "hi" to me"}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"q": "he said \\"hi\\" to me"}}\n</tool_call>',
            ),
            (
                "<tool_call>\n{'name': 'f', 'arguments': {'q': 'it's'}}\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {"q": "it\'s"}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"x": ["a""b"]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"x": ["a\\"\\"b"]}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"x": ["he said "a" "b" to me"]}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"x": ["he said \\"a\\" \\"b\\" to me"]}}\n</tool_call>',
            ),
        ),
    ),
    "nonstandard-number": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"v": "0x1F"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"v": [0.5, -1, 1e3]}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"v": 007}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {"v": .5}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"v": 0.5}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"v": +1}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"v": 1}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"v": 0x1F}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"v": 31}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {"v": 5.}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"v": 5.0}}\n</tool_call>',
            ),
        ),
    ),
    "html-entities": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "a &lt; b &quot;c&quot;"}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "&amp;quot;"}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=s>\n&quot;x&quot;\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n{&quot;name&quot;: &quot;f&quot;, &quot;arguments&quot;: {}}\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                "<tool_call>\n{&#34;name&#34;: &#34;f&#34;, &#34;arguments&#34;: {&#34;q&#34;: &#34;a &lt; b&#34;}}\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {"q": "a < b"}}\n</tool_call>',
            ),
        ),
    ),
}
