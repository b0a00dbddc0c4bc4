"""A block that cannot be read stays unreadable when the text after it is fixed."""

from tests.hermes.laws import assert_fixed_text_is_read_strictly
from tests.hermes.readings import TOOLS, calls_of
from workbench.hermes.parse import fixed, parse

TERMS = {"tools": TOOLS, "level": "tolerant", "dialect": "auto"}
BAD = '<tool_call>{"name": "f", "arguments": {"q": "</tool_call>"}}1}'
"""The block ends at the tag inside its string. With more text, reading would fail only at `1}`."""


def test_a_fix_that_would_make_a_bad_block_readable_escapes_its_tags() -> None:
    text = f"{BAD}</tool_call>"
    reading = parse(text, **TERMS)
    assert [fix.code for fix in reading.fixes] == ["orphan-close-tag"]
    assert [finding.code for finding in reading.findings] == ["invalid-json"]
    assert fixed(text, reading) == text.replace("<", "&lt;").replace("call>", "call&gt;")
    assert_fixed_text_is_read_strictly(reading, TERMS)


def test_a_bad_block_that_no_fix_affects_is_left_alone() -> None:
    text = '<tool_call>{bad}</tool_call>\n<tool_call>{"name": "f", "arguments": {},}</tool_call>'
    reading = parse(text, **TERMS)
    assert fixed(text, reading) == text.replace(",}", "}")
    assert_fixed_text_is_read_strictly(reading, TERMS)


def test_an_untagged_function_that_is_not_a_call_stays_text() -> None:
    text = "<function=f><parameter=u></parameter><tool_call></function>"
    reading = parse(text, **TERMS)
    assert (calls_of(reading), reading.findings) == ([], ())
    assert "&lt;function=f&gt;" in fixed(text, reading)
    assert_fixed_text_is_read_strictly(reading, TERMS)
