"""A stream gives the same reading as `parse`, emits no part of a tag, and takes nothing back."""

import random
from typing import Any

import pytest

from tests.hermes.laws import assert_events_match, streamed
from tests.hermes.readings import TOOLS, Row, calls_of, is_clean, parse_options, read, rows
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.hermes.reading import SegmentKind
from workbench.hermes.stream import Stream
from workbench.hermes.stream_events import (
    ArgumentsDelta,
    BlockEnded,
    CallDropped,
    CallEnded,
    CallStarted,
    ProseBecameThought,
    TextDelta,
)
from workbench.toolspec.tools_text import parse_tools

ROWS = rows()


def assert_same(row: Row, pieces: list[str]) -> None:
    events, reading = streamed(pieces, **parse_options(row))
    assert reading == read(row)
    assert_events_match(events, reading)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_text_in_two_pieces_gives_the_same_reading(row: Row) -> None:
    for cut in range(len(row["text"]) + 1) if len(row["text"]) < 1000 else (1, 50, 4000):
        assert_same(row, [row["text"][:cut], row["text"][cut:]])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13])
def test_a_text_in_pieces_of_one_size_gives_the_same_reading(size: int) -> None:
    for row in ROWS:
        text = row["text"]
        assert_same(row, [text[start : start + size] for start in range(0, len(text), size)])


def test_a_text_in_random_pieces_gives_the_same_reading() -> None:
    chance = random.Random(7)
    for row in ROWS:
        pieces, text = [], row["text"]
        while text:
            size = chance.randint(1, 20)
            pieces.append(text[:size])
            text = text[size:]
        assert_same(row, pieces)


@pytest.mark.parametrize("text", ["a < b", "x <tool", "<toolbox> y", "</t>", "<thinking>z", "1 <| 2"])
def test_text_that_turns_out_not_to_be_a_tag_is_emitted(text: str) -> None:
    events, _ = streamed(list(text + "!"))
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text + "!"


def test_the_start_of_a_tag_is_not_emitted() -> None:
    stream = Stream(tools=TOOLS)
    shown = [event for piece in "Hi <tool_call" for event in stream.feed(piece)]
    assert "".join(event.text for event in shown if isinstance(event, TextDelta)) == "Hi "


def test_a_long_string_is_emitted_as_it_arrives() -> None:
    stream = Stream(tools=TOOLS)
    stream.feed('<tool_call>\n{"name": "f", "arguments": {"q": "')
    assert stream.feed("abcd") == (ArgumentsDelta(0, "abcd"),)
    assert stream.feed('"}}') == (ArgumentsDelta(0, '"'),)
    ended = stream.feed("\n</tool_call>")
    assert ended[:2] == (ArgumentsDelta(0, "}"), CallEnded(0))
    assert [call.arguments for call in stream.finish().calls] == [{"q": "abcd"}]


def test_a_call_without_an_opening_tag_is_emitted_with_its_closing_tag() -> None:
    stream = Stream(tools=TOOLS)
    text = "Hi\n<function=g>\n<parameter=k>\nv\n</parameter>\n</function>\n</tool_call>"
    assert [
        event for piece in text[:-1] for event in stream.feed(piece) if not isinstance(event, TextDelta)
    ] == []
    assert stream.feed(">") == (
        CallStarted(0, "g"),
        ArgumentsDelta(0, '{"k": "v"}'),
        CallEnded(0),
        BlockEnded(SegmentKind.CALL, text.removeprefix("Hi\n")),
    )


@pytest.mark.parametrize(
    "end",
    [
        '}, "days": 2}',
        '} , "days": 2}}',
        "}" + " " * 300,
        ', "days": 2}}',
        ', "days": 2}',
        ', "town": "Q"}',
        ', "id": 1}',
        "}",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_arguments_that_closed_too_early_are_continued_and_not_taken_back(end: str, size: int) -> None:
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "P"}' + end + "\n</tool_call>"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    events, reading = streamed(pieces, tools=TOOLS)
    assert reading == parse(text, tools=TOOLS)
    assert_events_match(events, reading)
    assert not any(isinstance(event, CallDropped) for event in events)


@pytest.mark.parametrize("text", ["Rome, ", "Rome,\n ", "Rome\n ", "a, b, "])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_a_comma_that_may_end_a_value_waits_and_nothing_is_taken_back(text: str, size: int) -> None:
    whole = f'<tool_call>\n{{"name": "get_weather", "arguments": {{"city": "{text}"days": 2}}}}\n</tool_call>'
    events, reading = streamed([whole[at : at + size] for at in range(0, len(whole), size)], tools=TOOLS)
    assert reading == parse(whole, tools=TOOLS)
    assert calls_of(reading) == [("get_weather", {"city": text.rstrip(", \n"), "days": 2})]
    assert_events_match(events, reading)
    assert not any(isinstance(event, CallDropped) for event in events)


def test_a_truncated_call_is_dropped() -> None:
    events, reading = streamed(['<tool_call>{"name": "f", "arguments": {"q": "ab'], tools=TOOLS)
    assert isinstance(events[-1], CallDropped)
    assert reading.calls == ()


CLOSED = [row for row in ROWS if is_clean(row) and row["calls"] and row["text"].endswith("</tool_call>")]


@pytest.mark.parametrize("row", CLOSED, ids=lambda row: row["id"])
def test_clean_calls_end_with_their_closing_tag_wherever_the_text_was_cut(row: Row) -> None:
    text = row["text"]
    sizes = (1, 3, 10, 100, len(text))
    ways = [[text[:cut], text[cut:]] for cut in range(0, len(text), 1 + len(text) // 500)]
    ways += [[text[start : start + size] for start in range(0, len(text), size)] for size in sizes]
    for pieces in ways:
        stream = Stream(**parse_options(row))
        events = [event for piece in pieces for event in stream.feed(piece)]
        assert sum(isinstance(event, CallEnded) for event in events) == len(row["calls"]), pieces


def test_a_file_that_quotes_calls_ends_with_the_closing_tag_of_its_own_call() -> None:
    quoted = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>\nand\n" * 3
    text = (
        f"<tool_call>\n<function=save>\n<parameter=text>\n{quoted}.\n</parameter>\n</function>\n</tool_call>"
    )
    stream = Stream(dialect="xml")
    events = [event for piece in text for event in stream.feed(piece)]
    assert sum(isinstance(event, CallEnded) for event in events) == 1
    assert [call.arguments for call in stream.finish().calls] == [{"text": f"{quoted}."}]


def test_prose_that_was_a_thought_is_reported_even_at_the_end() -> None:
    for pieces in (["plan", "</think>"], ["plan</th", "ink>"], ["plan `</think>"], ["a <tool_call></think>"]):
        events, reading = streamed(pieces, tools=TOOLS)
        assert [event for event in events if isinstance(event, ProseBecameThought)] == [ProseBecameThought()]
        assert reading.prose == ()


def test_a_call_without_a_closing_tag_waits_for_the_finish_reason() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": 1}}\n<tool_call>{"name": "g", "arguments": {}}</tool_call>'
    stream = Stream(tools=TOOLS)
    assert not any(isinstance(event, CallEnded) for event in stream.feed(text))
    stream.finish("length")
    ends = [event for event in stream.last_events() if isinstance(event, (CallDropped, CallEnded))]
    assert ends == [CallDropped(0), CallEnded(1)]


def test_a_very_long_number_is_emitted_completely() -> None:
    digits = "1" * 900
    events, _ = streamed(
        [f'<tool_call>{{"name": "f", "arguments": {{"n": {digits}}}}}</tool_call>'], tools=TOOLS
    )
    arguments = "".join(event.text for event in events if isinstance(event, ArgumentsDelta))
    assert arguments == f'{{"n": {digits}}}'


def test_a_call_that_a_fix_rewrites_is_dropped_and_emitted_again() -> None:
    text = '<tool_call>{"name":"f","arguments":{"a":[1,],"b":2}}\n{"name":"g","arguments":{}}</tool_call>'
    events, reading = streamed([text], tools=TOOLS)
    assert_events_match(events, reading)
    assert [event for event in events if isinstance(event, (CallDropped, CallEnded))] == [
        CallDropped(0),
        CallEnded(1),
        CallEnded(2),
    ]


def test_an_untagged_function_of_a_tool_is_emitted_as_prose_only_at_the_end() -> None:
    text = "<function=f><parameter=s><think>x</think></parameter></function>"
    events, reading = streamed([text], tools=TOOLS)
    assert [finding.code for finding in reading.findings] == ["untagged-call"]
    assert events == [TextDelta(SegmentKind.PROSE, text)]


@pytest.mark.parametrize("before", ["", "<think>", "plan", "<scratch_pad></scratch_pad><think>"])
def test_an_untagged_call_after_thoughts_is_never_emitted_as_prose(before: str) -> None:
    text = before + ("</think>" if before else "") + '{"name": "f", "arguments": {}}'
    for size in (1, 3, 5, len(text)):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        events, reading = streamed(pieces, tools=TOOLS, level="lenient")
        assert_events_match(events, reading)
        assert calls_of(reading) == [("f", {})]
        shown = "".join(e.text for e in events if isinstance(e, TextDelta) and e.kind is SegmentKind.PROSE)
        assert "{" not in shown


SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "number"},
        "names": {"type": "array", "items": {"type": "string"}},
        "counts": {"type": "array", "items": {"type": "integer"}},
        "place": {"$ref": "#/$defs/place"},
        "flag": {"type": "boolean"},
        "any": {},
    },
    "$defs": {
        "place": {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"type": "integer"}}}
    },
}


def arguments_by_character(arguments: str) -> list[str]:
    """Return what is known of the arguments after each of their characters, before the closing tag."""
    stream = Stream(tools=parse_tools([{"name": "f", "parameters": SCHEMA}]))
    stream.feed('<tool_call>\n{"name": "f", "arguments": ')
    known, lengths = "", []
    for character in arguments:
        known += "".join(event.text for event in stream.feed(character) if isinstance(event, ArgumentsDelta))
        lengths.append(known)
    return lengths


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ('{"n": 1', '{"n": 1'),
        ('{"n": -17', '{"n": -17'),
        ('{"n": -', '{"n":'),
        ('{"n": 0', '{"n":'),
        ('{"n": 0.25', '{"n": 0.25'),
        ('{"n": 12.', '{"n": 12'),
        ('{"n": 12.5', '{"n": 12.5'),
        ('{"n": 1234567890123456', '{"n": 1234567890123456'),
        ('{"n": 1e', '{"n": 1'),
        ('{"n": 1e5,', '{"n": 1e5'),
        ('{"flag": tru', '{"flag":'),
        ('{"flag": true,', '{"flag": true'),
        ('{"names": ["Ann", "Bo', '{"names": ["Ann", "Bo'),
        ('{"counts": [1, 25', '{"counts": [1, 25'),
        ('{"place": {"city": "Par', '{"place": {"city": "Par'),
        ('{"place": {"zip": 75', '{"place": {"zip": 75'),
        ('{"any": ["a", 1', '{"any": ["a", 1'),
        # A string where the schema allows none: "5" becomes 5, other texts stay.
        ('{"n": "5", "names": ["Ann"', '{"n":'),
        ('{"n": "five', '{"n":'),
        ('{"n": "five", "names": ["An', '{"n": "five", "names": ["An'),
        ('{"place": {"zip": "x1", "city": "P', '{"place": {"zip": "x1", "city": "P'),
        ('{"counts": ["1"', '{"counts": ['),
    ],
)
def test_arguments_of_every_type_are_emitted_as_far_as_they_are_certain(written: str, known: str) -> None:
    assert arguments_by_character(written)[-1].rstrip() == known


@pytest.mark.parametrize(
    "value",
    [
        "0x1F", "1.", "12.e25", "1e400", "007", "+5", ".5", "1234567890123456789012.", "12.5.1", "1_000", "1,000", "Infinity",
        "-0", "-0.0", "1E-7", "1" * 5000, '"5"', '"1.50"', '"[1, 2]"', '["1", "x", "2"]', '"tr\\u0075e"', '{"zip": "75"}',
        '"' + "5" * 500 + '"',
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["n", "counts", "place", "flag", "any", "other"])
def test_no_value_contradicts_what_was_emitted(name: str, value: str) -> None:
    text = f'<tool_call>{{"name": "f", "arguments": {{"{name}": {value}, "names": ["a", "b"]}}}}</tool_call>'
    tools = parse_tools([{"name": "f", "parameters": SCHEMA}])
    for size in (1, 2, 7, len(text)):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        events, reading = streamed(pieces, tools=tools)
        assert reading == parse(text, tools=tools)
        assert_events_match(events, reading)
        is_rewritten = value in ("12.e25", "1234567890123456789012.")
        assert is_rewritten or sum(isinstance(event, CallStarted) for event in events) == 1


def test_a_call_that_turns_out_to_be_in_a_thought_is_dropped_after_it_ended() -> None:
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    stream = Stream(tools=TOOLS)
    assert CallEnded(0) in stream.feed(f"Perhaps {call}")
    assert stream.feed(" would help.</think>") == (
        TextDelta(SegmentKind.PROSE, " would help."),
        CallDropped(0),
        ProseBecameThought(),
        TextDelta(SegmentKind.THOUGHT, "</think>"),
    )
    stream.feed(call)
    assert [found.code for found in stream.finish().findings] == ["call-in-reasoning"]
    assert len(stream.finish().calls) == 1


def test_a_piece_after_the_end_is_refused() -> None:
    stream = Stream()
    stream.feed("Hi")
    stream.finish()
    with pytest.raises(RuntimeError, match="the stream has ended"):
        stream.feed("!")


def test_tools_that_were_not_parsed_are_refused() -> None:
    tools: Any = [{"type": "function", "function": {"name": "f"}}]
    with pytest.raises(BadInput, match="use parse_tools"):
        parse("Hi", tools=tools)
    with pytest.raises(BadInput, match="use parse_tools"):
        Stream(tools=tools).finish()
