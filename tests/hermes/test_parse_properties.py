"""The laws of the reader hold for generated texts."""

import json
import random
from itertools import cycle, product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hermes.laws import (
    assert_events_match,
    assert_fixed_text_is_read_strictly,
    assert_spans_are_correct,
    assert_statuses_are_correct,
    assert_strict_is_tolerant_without_fixes,
    streamed,
)
from tests.hermes.readings import TOOLS, calls_of, is_clean, rows
from tests.properties import examples
from workbench.hermes.parse import parse

PIECES = [
    "<tool_call>", "</tool_call>", "<TOOL_CALL>", "\n", " ", "{", "}", "[", "]", "(", ")", ",", ":", '"', "'", "\\", "“", "”",
    '{"name": "f", "arguments": {"a": 1}}', '{"name": "f", "arguments": ', '"name"', '"f"', '"arguments"', "f", "x", "1", "007",
    "NaN", "True", "null", "<function=f>", "</function>", "<parameter=s>", "\n<parameter=i>\n", "</parameter>", "</parameter1>",
    "<think>", "</think>", "<tools>", "</tools>", "<function_call>", "<functioncall>", "<|im_end|>", "\n<tool_response>",
    "\n```json\n", "\n```\n", "`", "// c\n", "/*", "*/", "&quot;", "</tool_", "<function=typed>", "\r\n", "\u00a0", "\x00", "😀",
    '"{\\"a\\": 1}"', '<tool_call name="f">', '<function name="f">',
]  # fmt: skip
soup = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
levels = st.sampled_from(["strict", "tolerant", "lenient"])
parse_options = st.fixed_dictionaries(
    {
        "tools": st.sampled_from([None, TOOLS]),
        "level": levels,
        "dialect": st.sampled_from(["auto", "json", "xml"]),
        "finish_reason": st.sampled_from(["stop", "length"]),
        "starts_in_thought": st.booleans(),
    }
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
relaxed = settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@relaxed
@given(text=st.text() | soup, options=parse_options)
def test_any_text_can_be_parsed(text: str, options: dict[str, Any]) -> None:
    reading = parse(text, **options)
    assert_spans_are_correct(reading)
    assert_statuses_are_correct(reading)
    assert_strict_is_tolerant_without_fixes(reading, options)
    assert_fixed_text_is_read_strictly(reading, options)


@relaxed
@given(text=st.text() | soup, options=parse_options, sizes=st.lists(st.integers(1, 20), min_size=1))
def test_any_text_in_pieces_gives_the_same_reading_as_the_whole_text(
    text: str, options: dict[str, Any], sizes: list[int]
) -> None:
    pieces: list[str] = []
    left = text
    for size in cycle(sizes):
        if not left:
            break
        pieces.append(left[:size])
        left = left[size:]
    events, reading = streamed(pieces, **options)
    assert reading == parse(text, **options)
    assert_events_match(events, reading)


@relaxed
@given(data=st.binary(max_size=200))
def test_any_bytes_can_be_parsed(data: bytes) -> None:
    assert_spans_are_correct(parse(data.decode(errors="replace")))


@relaxed
@given(
    arguments=st.dictionaries(st.text(), json_values, max_size=5),
    ascii_only=st.booleans(),
    indent=st.sampled_from([None, 2]),
)
def test_valid_json_is_read_like_json_loads_and_never_fixed(
    *, arguments: dict[str, Any], ascii_only: bool, indent: int | None
) -> None:
    body = json.dumps({"name": "f", "arguments": arguments}, ensure_ascii=ascii_only, indent=indent)
    reading = parse(f"Hm.\n<tool_call>\n{body}\n</tool_call>", tools=TOOLS, level="strict")
    assert calls_of(reading) == [("f", arguments)]
    assert (reading.fixes, reading.findings) == ((), ())


@relaxed
@given(arguments=st.dictionaries(st.text(), json_values, max_size=4))
def test_fixing_a_trailing_comma_changes_no_value(arguments: dict[str, Any]) -> None:
    body = json.dumps({"name": "f", "arguments": arguments})[:-1] + ",}"
    reading = parse(f"<tool_call>{body}</tool_call>", tools=TOOLS)
    assert calls_of(reading) == [("f", arguments)]
    assert [fix.code for fix in reading.fixes] == ["trailing-comma"]


@relaxed
@given(arguments=st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), json_values, max_size=4))
def test_a_printed_python_dictionary_is_read(arguments: dict[str, Any]) -> None:
    safe = (
        json.loads(json.dumps(arguments).replace("\\", "").replace("'", ""))
        if "\\" not in json.dumps(arguments)
        else {}
    )
    reading = parse(f"<tool_call>{ {'name': 'f', 'arguments': safe}!r}</tool_call>", tools=TOOLS)
    assert calls_of(reading) == [("f", safe)]


@pytest.mark.parametrize("seed", range(6))
def test_mutated_corpus_rows_obey_the_laws(seed: int) -> None:
    chance = random.Random(seed)
    texts = [str(row["text"]) for row in rows()]
    for _ in range(150):
        text = chance.choice(texts)
        for _ in range(chance.randint(1, 3)):
            start = chance.randrange(len(text) + 1)
            end = min(len(text), start + chance.choice([0, 0, 1, 3, 10]))
            text = text[:start] + chance.choice(["", chance.choice(PIECES)]) + text[end:]
        options = {
            "tools": TOOLS,
            "level": chance.choice(["tolerant", "lenient"]),
            "dialect": "auto",
            "finish_reason": "stop",
            "starts_in_thought": False,
        }
        reading = parse(text, **options)
        assert_spans_are_correct(reading)
        assert_statuses_are_correct(reading)
        assert_strict_is_tolerant_without_fixes(reading, options)
        assert_fixed_text_is_read_strictly(reading, options)


def can_stand_before_others(row: dict[str, Any]) -> bool:
    return is_clean(row) and "<|im" not in row["text"]


def is_read_alone(row: dict[str, Any]) -> bool:
    has_thoughts = "<think" in row["text"] or "</think>" in row["text"]
    return is_clean(row) and bool(row["calls"]) and not has_thoughts


@pytest.mark.parametrize(
    "pair",
    list(
        product(
            filter(can_stand_before_others, rows()[:60]), [row for row in rows()[:60] if is_read_alone(row)]
        )
    ),
    ids=lambda pair: f"{pair[0]['id']}+{pair[1]['id']}",
)
def test_no_valid_block_is_lost_because_of_the_text_before_it(
    pair: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    left, right = pair
    reading = parse(f"{left['text']}\n{right['text']}", tools=TOOLS)
    assert [[call.name, call.arguments] for call in reading.calls] == left["calls"] + right["calls"]
