"""The fast path finds the same calls as the reader, or leaves the text to it."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.hermes.readings import TOOLS
from tests.hermes.test_parse_properties import PIECES, relaxed
from workbench.hermes.parse import clean_calls, names_without_facts, parse
from workbench.hermes.reading import Level, SegmentKind
from workbench.records.facts import facts_of
from workbench.toolspec.spec import OfferedTools

CLEAN = [
    '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
    '<tool_call>{"name": "g", "arguments": {}}</tool_call>',
    "So:\n",
    "\n",
    " ",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12) | st.lists(st.sampled_from(CLEAN), max_size=6)
MOSTLY_CLEAN = st.lists(st.sampled_from(CLEAN * 8 + PIECES), max_size=6)


@relaxed
@given(text=(TEXTS | MOSTLY_CLEAN).map("".join) | st.text())
def test_clean_calls_equal_those_of_the_reader_which_reports_nothing(text: str) -> None:
    found = clean_calls(text, TOOLS)
    assume(found is not None)
    reading = parse(text, tools=TOOLS, checks_arguments=False)
    assert [(call.name, call.arguments) for call in found] == [
        (call.name, call.arguments) for call in reading.calls
    ]
    assert (reading.fixes, reading.dropped) == ((), 0)
    assert {finding.code for finding in reading.findings} <= {"unknown-tool"}
    assert {segment.kind for segment in reading.segments} <= {SegmentKind.PROSE, SegmentKind.CALL}
    checked, strict = parse(text, tools=TOOLS), parse(text, tools=TOOLS, level=Level.STRICT)
    assert (checked.fixes, checked.dropped, checked.segments) == ((), 0, reading.segments)
    assert [(call.name, call.arguments) for call in strict.calls] == [
        (call.name, call.arguments) for call in reading.calls
    ]


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("No call {at} all.", 0), (CLEAN[0], 1), ("".join(CLEAN), 2)]
)
def test_clean_texts_are_read_by_the_fast_path(text: str, count: int) -> None:
    assert len(clean_calls(text, TOOLS) or ()) == count
    assert clean_calls(text, TOOLS) is not None


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think>",
        "a < b",
        CLEAN[1].replace("}}", "},}"),
        f"`{CLEAN[1]}`",
        '{"name": "f", "arguments": {}}',
    ],
)
def test_other_texts_are_left_to_the_reader(text: str) -> None:
    assert clean_calls(text, TOOLS) is None


VALID = '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'
WRONG = VALID.replace('"Rome"', "3")
FOREIGN = [
    '[TOOL_CALLS][{"name": "f", "arguments": {}}]',
    "to=functions.f {}",
    "\nf(a=1)",
    "<|python_tag|>f()",
    "(1)",
]


@relaxed
@given(
    text=st.lists(st.sampled_from([VALID] * 9 + CLEAN + PIECES + FOREIGN + [WRONG]), max_size=6).map("".join)
    | st.text(),
    tools=st.sampled_from([None, OfferedTools(), TOOLS]),
    finish_reason=st.sampled_from(["stop", "length"]),
)
def test_a_text_without_facts_has_none_in_the_reading(
    text: str, tools: OfferedTools | None, finish_reason: str
) -> None:
    names = names_without_facts(text, tools)
    reading = parse(text, tools=tools, finish_reason=finish_reason)
    if names is not None:
        assert ([*facts_of(reading)], [call.name for call in reading.calls]) == ([], [*names])


@pytest.mark.parametrize("text", ["", "It is noon (12:00).", "So:\n" + VALID, VALID * 2])
def test_plain_answers_and_valid_calls_have_no_facts(text: str) -> None:
    assert names_without_facts(text, TOOLS) == ("get_weather",) * text.count("<tool_call>")
