"""The pieces of a streamed answer, joined, are the same wherever the completion is cut."""

import re
from dataclasses import replace

import pytest

from tests.gateway.answers import answered, complete, completions, options_of, pieces_of
from tests.hermes.readings import TOOLS
from workbench.chat.message import Message
from workbench.hermes.parse import parse

TAG = re.compile(
    r"(?<!`)(</?(?i:tool_call)>|</?think>|<tool_response>|<\|im_end\|>|<function=[^<>\n]*>|<parameter=[^<>\n]*>)"
)


def assert_answer_holds(row):
    """Check one completion, cut at every place."""
    text, options = row["text"], options_of(row)
    writer, pieces = answered([text], **options)
    plain = writer.sent.message
    assert complete(pieces) == plain, row["id"]
    assert not TAG.search(plain.text), (row["id"], plain.text)
    assert plain.text == plain.text.strip()
    reading = parse(text, tools=TOOLS, **options)
    assert [(call.name, call.arguments) for call in plain.calls] == [
        (call.name, dict(call.arguments)) for call in reading.calls
    ], row["id"]
    assert writer.has_complete_calls == bool(reading.calls)
    places = range(1, len(text)) if len(text) <= 400 else range(1, len(text), len(text) // 200)
    cuts = [[text[:place], text[place:]] for place in places]
    for cut in (*cuts, pieces_of(text, 1), pieces_of(text, 3), pieces_of(text, 7)):
        assert comparable(complete(answered(cut, **options)[1])) == comparable(plain), (row["id"], cut)


def comparable(message: Message) -> Message:
    """Return a message without the texts of its arguments, which may differ in escapes: `\\u00e9` is `é`."""
    return replace(message, calls=tuple(replace(call, arguments_text=None) for call in message.calls))


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
