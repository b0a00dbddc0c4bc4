"""Test texts for codes about the XML form, one table per code."""

from typing import Final

from tests.hermes.fixes.table import Table

TABLES: Final = {
    "missing-close-parameter": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\na <parameter=i> b\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\na\n<parameter=zzz>\nb\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n<parameter=i>\n3\n</parameter>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n<parameter=i>\n3\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>x\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=s>x\n</parameter>\n</function>\n</tool_call>",
            ),
        ),
    ),
    "missing-close-function": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=f>\n<parameter=s>\nx\n</parameter>",
            "<tool_call>\n<function=f>\n<parameter=s>\nx\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=f>\n</tool_call>",
                "<tool_call>\n<function=f>\n</function>\n</tool_call>",
            ),
            (
                '<tool_call>\n<function=f>{"a": 1}\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
        ),
    ),
    "drifted-close-parameter": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\nsee </parameters>\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\na </parameter1> b\n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter1>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter_function>\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter\n</function>\n</tool_call>",
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            ),
        ),
    ),
    "quoted-name": Table(
        noop=(
            '<tool_call>\n<function=typed>\n<parameter=s>\n"x"\n</parameter>\n</function>\n</tool_call>',
            '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            '<tool_call>\n<function=f">\n\n</function>\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n<function="f">\n\n</function>\n</tool_call>',
                "<tool_call>\n<function=f>\n\n</function>\n</tool_call>",
            ),
            (
                '<tool_call>\n<function=typed>\n<parameter="s">\nx\n</parameter>\n</function>\n</tool_call>',
                "<tool_call>\n<function=typed>\n<parameter=s>\nx\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "<tool_call>\n<function='g'>\n\n</function>\n</tool_call>",
                "<tool_call>\n<function=g>\n\n</function>\n</tool_call>",
            ),
        ),
    ),
    "json-in-function-tag": Table(
        noop=(
            '<tool_call>\n<function=typed>\n<parameter=o>\n{"a": 1}\n</parameter>\n</function>\n</tool_call>',
            '<function=f>{"a": 1}</function>',
            '<tool_call>\n<function name="f">{"a": 1}</function>\n</tool_call>',
        ),
        rows=(
            (
                '<tool_call>\n<function=f>\n{"a": 1}\n</function>\n</tool_call>',
                '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=f>{}</function>\n</tool_call>",
                '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            ),
        ),
    ),
    "tag-in-value": Table(
        noop=(
            "<tool_call>\n<function=typed>\n<parameter=s>\na < b > c\n</parameter>\n</function>\n</tool_call>",
            '<tool_call>\n{"name": "f", "arguments": {"q": "</parameter>"}}\n</tool_call>',
            "<tool_call>\n<function=typed>\n<parameter=s>\n<b>x</b>\n</parameter>\n</function>\n</tool_call>",
        ),
        rows=(
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nx </tool_call> y\n</parameter>\n</function>\n</tool_call>",
                '<tool_call>\n{"name": "typed", "arguments": {"s": "x </tool_call> y"}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\nsee </parameter> here\n</parameter>\n</function>\n</tool_call>",
                '<tool_call>\n{"name": "typed", "arguments": {"s": "see </parameter> here"}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\n<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>\n</parameter>\n<parameter=i>\n3\n</parameter>\n</function>\n</tool_call>",
                '<tool_call>\n{"name": "typed", "arguments": {"s": "<tool_call>\\n<function=f>\\n<parameter=a>\\n1\\n</parameter>\\n</function>\\n</tool_call>", "i": 3}}\n</tool_call>',
            ),
            (
                "<tool_call>\n<function=typed>\n<parameter=s>\n<tool_call>\n<function=g>\n</function>\n</tool_call>\n</parameter>\n</function>\n</tool_call>",
                '<tool_call>\n{"name": "typed", "arguments": {"s": "<tool_call>\\n<function=g>\\n</function>\\n</tool_call>"}}\n</tool_call>',
            ),
        ),
    ),
}
