"""A block that cannot be read stays what it is when the text behind it is fixed."""

from tests.hermes.laws import assert_fixed_reads_strictly
from tests.hermes.readings import TOOLS, calls_of
from workbench.hermes.parse import fixed, parse

TERMS = {"tools": TOOLS, "level": "tolerant", "dialect": "auto"}
BAD = '<tool_call>{"name": "f", "arguments": {"q": "</tool_call>"}}1}'
"""Ends at the tag inside its string; what is read on from there fails only at `1}`."""


def test_a_fix_that_would_wake_a_bad_block_turns_its_tags_into_text() -> None:
    text = f"{BAD}</tool_call>"
    reading = parse(text, **TERMS)
    assert [fix.code for fix in reading.fixes] == ["orphan-close-tag"]
    assert [finding.code for finding in reading.findings] == ["invalid-json"]
    assert fixed(text, reading) == text.replace("<", "&lt;").replace("call>", "call&gt;")
    assert_fixed_reads_strictly(reading, TERMS)


def test_a_bad_block_that_a_fix_does_not_change_is_left_alone() -> None:
    text = '<tool_call>{bad}</tool_call>\n<tool_call>{"name": "f", "arguments": {},}</tool_call>'
    reading = parse(text, **TERMS)
    assert fixed(text, reading) == text.replace(",}", "}")
    assert_fixed_reads_strictly(reading, TERMS)


def test_an_untagged_function_that_is_no_call_stays_none() -> None:
    text = "<function=f><parameter=u></parameter><tool_call></function>"
    reading = parse(text, **TERMS)
    assert (calls_of(reading), reading.findings) == ([], ())
    assert "&lt;function=f&gt;" in fixed(text, reading)
    assert_fixed_reads_strictly(reading, TERMS)
