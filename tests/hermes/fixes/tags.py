"""Test texts for codes about tags, one table per code."""

from typing import Final

from tests.hermes.fixes.table import Table

TABLES: Final = {
    "tag-case": Table(
        noop=(
            "<Think>a</Think>",
            '<tool_call>\n{"name": "f", "arguments": {"q": "<TOOL_CALL>"}}\n</tool_call>',
            "<toolcall>",
        ),
        rows=(
            (
                '<TOOL_CALL>{"name": "f", "arguments": {}}</TOOL_CALL>',
                '<tool_call>{"name": "f", "arguments": {}}</tool_call>',
            ),
            (
                '<Tool_Call>\n{"name": "f", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "alternate-tag": Table(
        noop=(
            "<tools>see</tools>",
            '<tools>[{"name": "f", "description": "x", "parameters": {"type": "object", "properties": {}}}]</tools>',
            '<function_invocation>{"name": "f", "arguments": {}}</function_invocation>',
            '<tool>{"name": "f", "arguments": {}}</tool>',
        ),
        rows=(
            (
                '<tools>\n{"name": "f", "arguments": {}}\n</tools>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<function_call>{"name": "f", "arguments": {}}</function_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<functioncall> {"name": "f", "arguments": {}}',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call name="f">{"a": 1}</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<function=f>{"a": 1}</function>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                '<function name="f">{"a": 1}</function>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
        ),
    ),
    "missing-close-tag": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"a": 1',
            "<tool_call>\n<function=f>\n<parameter=s>\nx",
            "<tool_call>\n{bad}",
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {}}',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {}}\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call>\n{"name": "f", "arguments": {}}<|im_end|>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>',
            ),
            (
                "<tool_call>\n<function=f>\n</function>\nDone.",
                "<tool_call>\n<function=f>\n</function>\n</tool_call>\nDone.",
            ),
        ),
    ),
    "missing-open-tag": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            'Hi {"name": "f", "arguments": {}}\n</tool_call>',
            '{"name": "f", "arguments": {}}\n</tool_call>',
            "Hi <function=nope>\n</function>\n</tool_call>",
            "Hi <function=f>\n</function>\n",
            "Hi <function=f>\n</tool_call>",
            "Write `<function=f></function></tool_call>`.",
            "<think>Hi <function=f>\n</function>\n</tool_call></think>",
            "<tool_call>\n<function=f>\n<parameter=s>\n<function=f>\n</function>\n</tool_call>\n"
            "</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<function=f>\n</function>\n</tool_call>",
                "<tool_call>\n<function=f>\n</function>\n</tool_call>",
            ),
            (
                "I look.<function=f>\n</function>\n</TOOL_CALL>\nSo.",
                "I look.<tool_call>\n<function=f>\n</function>\n</tool_call>\nSo.",
            ),
            (
                "Hi\n<function=f>\n</function>\n</tool_call>\n<function=f>\n</function>\n</tool_call>",
                "Hi\n<tool_call>\n<function=f>\n</function>\n</tool_call>\n"
                "<tool_call>\n<function=f>\n</function>\n</tool_call>",
            ),
            (
                "```xml\n<function=f>\n</function>\n</tool_call>\n```",
                "<tool_call>\n<function=f>\n</function>\n</tool_call>\n",
            ),
        ),
    ),
    "foreign-call": Table(
        noop=(
            "[TOOL_CALLS] is the special token of Mistral models.",
            '[TOOL_CALLS][{"name": "nope", "arguments": {}}]',
            "Call f() first.",
            "<tool_call>\nnope\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
        ),
        rows=(
            (
                '[TOOL_CALLS][{"name": "f", "arguments": {}}]',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {"a": "1"}}\n</tool_call>',
            ),
            ("f(a=1)", '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'),
        ),
        options={"level": "lenient"},
    ),
    "no-tag": Table(
        noop=(
            'See {"name": "f", "arguments": {}}',
            '{"name": "Ada", "arguments": {"age": 3}}',
            '[{"id": 7}, {"name": "Ada", "arguments": {"age": 3}}]',
            '{"name": "f"}',
            "<function=nope>\n</function>",
        ),
        rows=(
            ('{"name": "f", "arguments": {}}', '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'),
            (
                '```json\n{"name": "f", "arguments": {}}\n```',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            ("A\n<function=f>\n</function>\nB", "A\n<tool_call>\n<function=f>\n</function>\n</tool_call>\nB"),
            (
                '<think>x</think>\n{"name": "f", "arguments": {}}',
                '<think>x</think>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
        options={"level": "lenient"},
    ),
    "duplicate-open-tag": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {}}\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
            '<tool_call> x <tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {"q": "<tool_call><tool_call>"}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '<tool_call><tool_call><tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
            (
                '```\n<tool_call>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n```\n',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n',
            ),
        ),
    ),
    "orphan-open-tag": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "`<tool_call>`"}}\n</tool_call>',
            "<think>use <tool_call> well</think>",
            "ok <tool_call>",
            "ok <tool_",
        ),
        rows=(
            ("The `<tool_call>` tag.", "The `&lt;tool_call&gt;` tag."),
            ("Use <tool_call> to call.", "Use &lt;tool_call&gt; to call."),
            ("The `<think>` tag.", "The `&lt;think&gt;` tag."),
        ),
    ),
    "orphan-close-tag": Table(
        noop=(
            '<tool_call>\n{"name": "f", "arguments": {"q": "</tool_call>"}}\n</tool_call>',
            "plan</think>x",
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call></think>',
            "ok </tool_",
            "<think>a </tool_call></think>",
        ),
        rows=(
            ("hello </tool_call> world", "hello &lt;/tool_call&gt; world"),
            (
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n&lt;/tool_call&gt;',
            ),
            (
                '<think>x</think><tool_call>\n{"name": "f", "arguments": {}}\n</tool_call></think>',
                '<think>x</think><tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>&lt;/think&gt;',
            ),
            ("a</think>b</think>c", "a</think>b&lt;/think&gt;c"),
        ),
    ),
    "fenced-block": Table(
        noop=(
            '```\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n',
            '```json\n{}\n```\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            '```\n{"name": "f", "arguments": {}}\n```',
            '<tool_call>\n{"name": "f", "arguments": {"q": "```\\n"}}\n</tool_call>',
        ),
        rows=(
            (
                '```xml\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n```',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n',
            ),
            (
                '```\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>\n```\n',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>\n',
            ),
        ),
    ),
    "model-wrote-tool-response": Table(
        noop=(
            "x <tool_response>y",
            "<think>\n<tool_response>\n</think>",
            '<tool_call>\n{"name": "f", "arguments": {"q": "\n<tool_response>"}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_response>\n1\n</tool_response>\nIt is 1.',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n',
            ),
            ("<tool_response>\nx", ""),
        ),
    ),
    "text-after-stop": Table(
        noop=(
            "Hi<|im_end|>\n ",
            "<think>a <|im_end|> b</think>c",
            '<tool_call>\n{"name": "f", "arguments": {"q": "<|im_end|> x"}}\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>\n<|im_start|>user\nhi',
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>',
            ),
            ("Hi<|eot_id|>more", "Hi<|eot_id|>"),
            ("a<|endoftext|>b<|im_end|>", "a<|endoftext|>"),
        ),
    ),
    "unclosed-think": Table(
        noop=(
            "plan</think>x",
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call></think>',
            "<think></think>",
            "`<think>`",
            "<thinking>x",
        ),
        rows=(
            ("<think>plan", "<think>plan</think>"),
            (
                '<scratch_pad>a\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
                '<scratch_pad>a\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call></scratch_pad>',
            ),
            ("<think>a<|im_end|>", "<think>a</think><|im_end|>"),
        ),
    ),
}
