"""Damaged calls obey the laws, and none of their names and texts is lost without a fix or a finding."""

import json
import random
import re
from typing import Any

import pytest

from tests.hermes.damaged_calls import TOOLS, call_text
from tests.hermes.laws import (
    assert_events_match,
    assert_fixed_text_is_read_strictly,
    assert_spans_are_correct,
    assert_statuses_are_correct,
    assert_strict_is_tolerant_without_fixes,
    streamed,
)
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.toolspec.tools_text import parse_tools

FRAMES = ["<tool_call>\n%s\n</tool_call>"] * 4 + [
    "<tool_call>%s",
    "%s",
    "<tools>%s</tools>",
    "[TOOL_CALLS]%s",
]
WORD = re.compile(r"w\d+w|\b(?:kay|kel|kin|kon|zed|yak|num|lis|obj)\b")
REFUSED = {"duplicate-key", "bad-name", "arguments-not-object", "not-an-object"}
OWN = re.compile(r"""["'](?:id|type|index)["']\s*:\s*\(?["'][^"']*["']""")
"""A member that belongs to a call in an API, which is never reported."""


def assert_nothing_is_lost(reading: Reading) -> None:
    """Check that each word is in a call or in prose, or that a finding or a guess is where it was."""
    if reading.dropped or not reading.calls or any(item.code in REFUSED for item in reading.findings):
        return  # a call with a finding of its own
    kept = json.dumps([[call.name, call.arguments] for call in reading.calls]) + "".join(reading.prose)
    own = [match.span() for match in OWN.finditer(reading.text)]
    spans = [item.span for item in reading.findings if item.span]
    spans += [item.span for item in reading.fixes if item.is_guess]
    for match in WORD.finditer(reading.text):
        start, end = match.span()
        is_shown = any(span.start <= start and end <= span.end for span in spans)
        is_own = any(first <= start and end <= last for first, last in own)
        assert match.group() in kept or is_shown or is_own, match.group()


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_call_obeys_the_laws_and_loses_nothing_silently(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        text = chance.choice(FRAMES) % call_text(chance)
        options: dict[str, Any] = {
            "tools": chance.choice([TOOLS, TOOLS, None]),
            "level": chance.choice(["tolerant", "tolerant", "lenient", "strict"]),
            "dialect": "auto",
            "finish_reason": "stop",
            "starts_in_thought": False,
        }
        reading = parse(text, **options)
        assert_spans_are_correct(reading)
        assert_statuses_are_correct(reading)
        assert_strict_is_tolerant_without_fixes(reading, options)
        assert_fixed_text_is_read_strictly(reading, options)
        assert_nothing_is_lost(reading)
        size = chance.randint(1, 9)
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        events, whole = streamed(pieces, **options)
        assert whole == reading
        assert_events_match(events, reading)


ALTERNATE = [
    ("<function_call>", "</function_call>"),
    ("<tools>", "</tools>"),
    ("<function=%s>", "</function>"),
    ('<function name="%s">', "</function>"),
    ('<tool_call name="%s">', "</tool_call>"),
]
LOST = ['{"city": "Rome"', '{"city": "Rome', '{"city"', '{"city": ["Rome"}']


@pytest.mark.parametrize("between", ["", "\n", " and "])
@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize(("opening", "closing"), ALTERNATE, ids=str)
def test_a_damaged_call_in_another_tag_never_takes_the_next_one_with_it(opening, closing, lost, between):
    def call(name: str, arguments: str) -> str:
        if "%" in opening:
            return opening % name + arguments + closing
        return f'{opening}{{"name": "{name}", "arguments": {arguments}}}{closing}'

    reading = parse(call("find", lost) + between + call("get", '{"city": "Oslo"}'))
    assert [dict(each.arguments) for each in reading.calls if each.name == "get"] == [{"city": "Oslo"}]
    assert all("Oslo" not in json.dumps(each.arguments) for each in reading.calls if each.name == "find")


@pytest.mark.parametrize(
    ("member", "findings"),
    [
        ('"type": "function"', []),
        ('"type": "image"', ["unknown-member"]),
        ('"index": 3', ["unknown-member"]),
        ('"tool_call_id": "c1"', []),
    ],
)
def test_a_member_that_the_tool_declares_is_not_taken_for_the_calls_own(member, findings):
    kinds = {"a": {"type": "integer"}, "id": {}, "type": {}, "index": {}}
    tool = {"name": "own", "parameters": {"type": "object", "properties": kinds, "required": ["id"]}}
    text = f'<tool_call>\n{{"name": "own", "arguments": {{"a": 1}}, "id": 7, {member}}}\n</tool_call>'
    reading = parse(text, tools=parse_tools([tool]))
    # A required argument is read; another one is reported, because it may be the call's own.
    assert [dict(call.arguments) for call in reading.calls] == [{"a": 1, "id": 7}]
    assert [finding.code for finding in reading.findings] == findings
