"""The reader and its stream on texts that no one wrote, for minutes: `make fuzz`.

`make fuzz FUZZ_EXAMPLES=100000` takes as many texts a law, and hours.
"""

import os
import random
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
from tests.hermes.readings import TOOLS, rows
from workbench.hermes.parse import parse
from workbench.hermes.parser_comparison import ParserRule, differ

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

TEXTS = [str(row["text"]) for row in rows()]
MARKS = [
    *(
        "<tool_call>",
        "</tool_call>",
        "<TOOL_CALL>",
        "<tools>",
        "</tools>",
        "<function_call>",
        "<functioncall>",
    ),
    *(
        "<function=f>",
        "<function=typed>",
        "</function>",
        "<parameter=s>",
        "\n<parameter=i>\n",
        "</parameter>",
    ),
    *(
        "<think>",
        "</think>",
        "<scratch_pad>",
        "</scratch_pad>",
        "<|im_end|>",
        "<|eot_id|>",
        "\n<tool_response>",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ":",
        '"',
        "'",
        "\\",
        "“",
        "”",
        "`",
        "\n```json\n",
        "\n```\n",
        "```\n",
        "//",
        "/*",
    ),
    *('{"name": "f", "arguments": {"a": 1}}', '"name"', '"arguments"', "True", "null", "007", "NaN", "1e999"),
    *(
        "&quot;",
        "\r\n",
        "\u00a0",
        "\x00",
        "\ud800",
        "😀",
        "<",
        "</tool_",
        "\\u00",
        "\\ud83d",
        '<tool_call name="f">',
    ),
]
SOUP = st.lists(st.sampled_from(MARKS) | st.text(max_size=3), max_size=40).map("".join)
TERMS = st.fixed_dictionaries(
    {
        "tools": st.sampled_from([None, TOOLS]),
        "dialect": st.sampled_from(["auto", "json", "xml"]),
        "level": st.sampled_from(["strict", "tolerant", "lenient"]),
        "finish_reason": st.sampled_from(["stop", "length"]),
        "starts_in_thought": st.booleans(),
    }
)
# A seed is drawn, not each choice: hypothesis' own randoms take many times as long.
CHANCES = st.integers(min_value=0, max_value=2**32 - 1).map(random.Random)
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "8000"))
long = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def mutant(chance: random.Random) -> str:
    """One to three texts of the corpus, cut, joined and sprinkled with marks."""
    text = "\n".join(chance.choice(TEXTS) for _ in range(chance.randint(1, 3)))
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice([0, 0, 1, 2, 5, 20]))
        text = text[:start] + chance.choice(["", chance.choice(MARKS)]) + text[end:]
    return text


def assert_pieces_tell(text: str, terms: dict[str, Any], chance: random.Random) -> None:
    """In pieces of any size, the reading and the events are those of one shot."""
    pieces: list[str] = []
    left = text
    while left:
        size = chance.choice([1, 1, 2, 3, 5, 8, 13, 40, len(text)])
        pieces.append(left[:size])
        left = left[size:]
    events, reading = streamed(pieces, **terms)
    assert reading == parse(text, **terms)
    assert_events_match(events, reading)


def assert_laws(text: str, terms: dict[str, Any]) -> None:
    reading = parse(text, **terms)
    assert_spans_are_correct(reading)
    assert_statuses_are_correct(reading)
    assert_strict_is_tolerant_without_fixes(reading, terms)
    assert_fixed_text_is_read_strictly(reading, terms)


@long
@given(text=SOUP, terms=TERMS)
def test_soups_of_marks_keep_the_laws(text: str, terms: dict[str, Any]) -> None:
    assert_laws(text, terms)


@long
@given(chance=CHANCES, terms=TERMS)
def test_mutants_of_the_corpus_keep_the_laws(chance: random.Random, terms: dict[str, Any]) -> None:
    assert_laws(mutant(chance), terms)


@long
@given(data=st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    assert_spans_are_correct(parse(data.decode(errors="replace")))


@long
@given(text=SOUP, chance=CHANCES, terms=TERMS)
def test_a_soup_in_pieces_reads_as_in_one(text: str, chance: random.Random, terms: dict[str, Any]) -> None:
    assert_pieces_tell(text, terms, chance)


@long
@given(chance=CHANCES, terms=TERMS)
def test_a_mutant_in_pieces_reads_as_in_one(chance: random.Random, terms: dict[str, Any]) -> None:
    assert_pieces_tell(mutant(chance), terms, chance)


@long
@given(text=SOUP, chance=CHANCES)
def test_the_differ_answers_to_everything(text: str, chance: random.Random) -> None:
    for given_text in (text, mutant(chance)):
        taken = differ(given_text, TOOLS)
        assert [one.rule for one in taken] == list(ParserRule)
        assert all(one.why for one in taken if one.lost or one.invented)
