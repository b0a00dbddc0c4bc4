"""The pieces of a streamed answer, joined, are the same wherever the completion is cut."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from tests.gateway.answers import answered, complete, completions, options_of, pieces_of
from tests.hermes.readings import TOOLS
from workbench.chat.message import Message
from workbench.hermes.marks import FOREIGN_THOUGHTS
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading, SegmentKind

FENCE = re.compile(r"```[\w+-]*\s*|\s+")
THOUGHT_TAG = re.compile(
    r"</?(?:think|scratch_pad|REASONING_SCRATCHPAD)>|"
    + "|".join(re.escape(mark) for pair in FOREIGN_THOUGHTS.items() for mark in pair)
)


def not_taken(reading: Reading) -> str:
    """Return what a client must get of a text, without white space, code fences and the tags of thoughts."""
    called = {call.span for call in reading.calls}
    texts = [segment.text for segment in reading.segments if segment.span not in called]
    return THOUGHT_TAG.sub("", FENCE.sub("", "".join(texts)))


def characters(*texts: str) -> Counter[str]:
    return Counter(THOUGHT_TAG.sub("", FENCE.sub("", "".join(texts))))


def assert_answer_holds(row):
    """Check one completion, cut at every place."""
    text, options = row["text"], options_of(row)
    writer, pieces = answered([text], **options)
    plain = writer.sent.message
    reading = parse(text, tools=TOOLS, **options)
    assert comparable(complete(pieces), reading) == comparable(plain, reading), row["id"]
    assert characters(plain.text, plain.thought or "") == characters(not_taken(reading)), row["id"]
    assert [(call.name, call.arguments) for call in plain.calls] == [
        (call.name, dict(call.arguments)) for call in reading.calls
    ], row["id"]
    assert writer.has_complete_calls == bool(reading.calls)
    places = range(1, len(text)) if len(text) <= 400 else range(1, len(text), len(text) // 200)
    cuts = [[text[:place], text[place:]] for place in places]
    for cut in (*cuts, pieces_of(text, 1), pieces_of(text, 3), pieces_of(text, 7)):
        joined = complete(answered(cut, **options)[1])
        assert comparable(joined, reading) == comparable(plain, reading), (row["id"], cut)


def comparable(message: Message, reading: Reading) -> Message:
    """Return a message without what may differ between a stream and a plain answer.

    Texts of arguments may differ in escapes: `\\u00e9` is `é`. A call that was sent before a `</think>` showed that it
    is part of a thought stays sent.
    """
    first = reading.segments[0] if reading.segments else None
    is_unopened = first and first.kind is SegmentKind.THOUGHT and not first.text.startswith("<think>")
    calls = () if is_unopened else message.calls
    return replace(message, calls=tuple(replace(call, arguments_text=None) for call in calls))


def test_a_call_that_turns_out_to_be_a_thought_is_not_in_a_plain_answer():
    call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    writer, pieces = answered([call, "\n</think>\nIt is noon."])
    assert [sent.name for sent in complete(pieces).calls] == ["f"]
    assert (writer.sent.message.calls, writer.has_complete_calls) == ((), False)
    assert [finding.code for finding in writer.reading.findings] == ["call-in-reasoning"]


@pytest.mark.parametrize("row", completions(300)[::6], ids=lambda row: row["id"])
def test_the_pieces_of_an_answer_add_up_wherever_it_is_cut(row):
    assert_answer_holds(row)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_two_thousand_answers_add_up_wherever_they_are_cut(part):
    found = completions(2000)
    assert len(found) == 2000
    for row in found[part::10]:
        assert_answer_holds(row)
