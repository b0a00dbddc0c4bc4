"""The calls that the strict reader and the replicas of other parsers find in the same text.

Rows are named as in the corpus. A row that is not in the corpus has the number of a similar one.
"""

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import CHECKOUT
from tests.properties import examples
from workbench.hermes.parser_comparison import MAX_SIZE_CHARS, ParserRule, differ
from workbench.hermes.replicas.attempt import tag_blocks
from workbench.hermes.replicas.projects import _bodies, read_as_stella_guide
from workbench.toolspec.tools_text import parse_tools

CORPUS = CHECKOUT / "tests" / "corpus"
TOOLS = parse_tools((CORPUS / "tools.json").read_text(encoding="utf-8"))
ROWS = [json.loads(line) for line in (CORPUS / "readings.jsonl").read_text(encoding="utf-8").splitlines()]
TEXTS = {row["id"]: row["text"] for row in ROWS}
F = '{"name": "f", "arguments": {}}'
G = '{"name": "g", "arguments": {}}'


def block(body):
    return f"<tool_call>\n{body}\n</tool_call>"


# The calls that each parser finds, in the order of `ParserRule`. `f!` is a call of f with other arguments.
TABLE = [
    ("A02", "the plain case", TEXTS["A02"], ["get_weather"] * 5 + [""]),
    ("A03", "no line break after the tag", f"<tool_call>{F}</tool_call>", ["f"] * 5 + [""]),
    ("A07", "arguments first", TEXTS["A07"], ["f"] * 5 + [""]),
    ("B01", "text around two calls", TEXTS["B01"], ["f g", "f g", "f g", "f", "f g", ""]),
    ("B03", "the tag in prose", TEXTS["B03"], [""] * 6),
    ("C03", "the same call twice", TEXTS["C03"], ["f f", "f f", "f f", "f", "f f", ""]),
    ("C04", "two objects in a block", TEXTS["C04"], [""] * 6),
    ("C05", "an array of calls", TEXTS["C05"], ["", "", "f g", "", "", ""]),
    ("C06", "a good block, then a bad one", TEXTS["C06"], ["f", "", "", "f", "f", ""]),
    ("C07", "a bad block, then a good one", TEXTS["C07"], ["f", "", "", "", "f", ""]),
    ("D01", "the close tag in a string", TEXTS["D01"], ["f", "", "", "", "f", ""]),
    (
        "D02",
        "a brace and the close tag in a string",
        block('{"name": "f", "arguments": {"q": "a } </tool_call> b"}}'),
        ["f", "", "", "", "", ""],
    ),
    ("E08", "cut inside the arguments", TEXTS["E08"], [""] * 6),
    ("E03", "a bracket missing", TEXTS["E03"], [""] * 6),
    ("F01", "Python's quotes", TEXTS["F01"], ["", "", "", "f", "f", ""]),
    ("F07", "a trailing comma", TEXTS["F07"], ["", "", "", "f", "f", ""]),
    ("F08", "a trailing comma in a string", TEXTS["F08"], ["f", "f", "f", "f!", "f", ""]),
    ("F11", "a comma missing", TEXTS["X07"], [""] * 6),
    ("F12", "a raw line break in a string", TEXTS["F12"], [""] * 6),
    ("F18", "a fence around the payload", TEXTS["X01"], [""] * 6),
    ("F22", "a number without end", TEXTS["F22"], ["", "f!", "f!", "f!", "f!", ""]),
    ("F30", "text after the payload", block(f"{F}\nDone."), [""] * 6),
    ("F39", "an apostrophe and a key in a string", TEXTS["F39"], ["f", "f", "f", "f", "f", ""]),
    ("G01", "parameters", TEXTS["G01"], ["", "", "f", "f", "f!", ""]),
    ("G04", "no arguments", TEXTS["G04"], ["", "", "f", "f", "f!", ""]),
    ("H01", "the tag in capitals", TEXTS["H01"], ["", "", "", "f", "", ""]),
    ("H08", "brackets in prose", TEXTS["H08"], ["", "", "", "note!", "", ""]),
    ("H23", "a call without tags", TEXTS["H23"], ["", "", "", "f!", "", ""]),
    ("I02", "a call in a thought", TEXTS["I02"], ["", "f!", "f!", "f!", "f!", ""]),
    ("J03", "two XML calls", TEXTS["J03"], ["f g", "", "", "", "", "f g"]),
    ("J06", "a close tag missing", TEXTS["J06"], ["", "", "", "", "", "get_weather!"]),
    ("K01", "indentation", TEXTS["K01"], ["typed", "", "", "", "", "typed!"]),
    ("K14", "a value that is not text", TEXTS["K14"], ["typed", "", "", "", "", "typed!"]),
    ("K24", "a tag in a value", TEXTS["K24"], ["typed", "", "", "", "", "typed"]),
    (
        "unknown",
        "a tool that is not offered",
        block('{"name": "h", "arguments": {}}'),
        ["h", "h", "", "h", "h", ""],
    ),
    ("nothing", "no call at all", "Hello.", [""] * 6),
]


@pytest.mark.parametrize(
    ("text", "expected"), [row[2:] for row in TABLE], ids=[f"{row[0]} {row[1]}" for row in TABLE]
)
def test_each_parser_finds_the_expected_calls(text, expected):
    results = differ(text, TOOLS)
    assert [result.rule for result in results] == list(ParserRule)
    calls = [
        " ".join(
            call.name + ("!" if any(call is other for other in result.invented) else "")
            for call in result.calls
        )
        for result in results
    ]
    assert calls == expected


@pytest.mark.parametrize(
    ("row", "rule", "why"),
    [
        ("C05", ParserRule.STRICT, "a block that needs a fix is rejected: array-block"),
        (
            "C07",
            ParserRule.VLLM,
            "block 1 is rejected (Expecting property name enclosed in double quotes at character 2)",
        ),
        ("C07", ParserRule.VLLM, "one bad block loses all calls"),
        ("D01", ParserRule.VLLM, "it ends inside a string"),
        ("B10", ParserRule.VLLM, "the text between or after calls is lost"),
        ("C06", ParserRule.SGLANG, "block 2 is rejected"),
        ("C06", ParserRule.SGLANG, "one bad block loses all calls"),
        ("D01", ParserRule.SGLANG, "it ends inside a string"),
        ("B10", ParserRule.SGLANG, "the text between or after calls is lost"),
        ("G04", ParserRule.SGLANG, ""),
        ("J24", ParserRule.STELLA_GUIDE, ""),
        ("C03", ParserRule.L3M_BACKEND, "only the first block is read"),
        ("F08", ParserRule.L3M_BACKEND, "even valid JSON is repaired, which changes the content of strings"),
        ("C05", ParserRule.HERMES_FC, "an opening tag without { after it"),
        ("G01", ParserRule.HERMES_FC, "an object without `name` or `arguments` is returned as a call"),
        (
            "K01",
            ParserRule.STELLA_GUIDE,
            "white space at both ends of a value is stripped, including indentation",
        ),
        ("J06", ParserRule.STELLA_GUIDE, "a value without </parameter> swallows the next parameter"),
        ("K14", ParserRule.STELLA_GUIDE, "a value stays text, whatever the schema says"),
        ("H01", ParserRule.VLLM, "it has no repair for tag-case"),
        ("F22", ParserRule.VLLM, "a call that the reader rejects is run: non-finite-number"),
        ("I02", ParserRule.SGLANG, "a call inside a thought is run"),
        ("A02", ParserRule.VLLM, ""),
    ],
)
def test_the_reason_for_a_lost_or_invented_call_is_given(row, rule, why):
    reason = next(result.why for result in differ(TEXTS[row], TOOLS) if result.rule is rule)
    assert why in reason if why else reason == ""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_each_lost_or_invented_call_has_a_reason(row):
    results = differ(row["text"], TOOLS)
    assert all(result.why for result in results if result.lost or result.invented)
    # All are compared with the same calls: those of the tolerant reader.
    assert len({len(result.calls) - len(result.invented) + len(result.lost) for result in results}) == 1


def test_equal_calls_are_counted_separately():
    result = differ(f"{block(F)}{block(F)}", TOOLS)[3]
    assert (len(result.calls), len(result.lost), result.invented) == (1, 1, ())


def test_the_replicas_do_not_parse_a_text_that_is_too_long():
    text = "x" * MAX_SIZE_CHARS + block(F)
    results = differ(text, TOOLS)
    assert len(results[0].calls) == 1
    assert all("too many for this replica" in result.why and len(result.lost) == 1 for result in results[1:])


# The original patterns, for short texts. They would take minutes for long ones.
HERMES_FC = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
STELLA_GUIDE = re.compile(r"<parameter=([^>]+)>\s*(.*?)\s*</parameter>", re.DOTALL)
BLOCKS = re.compile(r"<tool_call>(.*?)</tool_call>|<tool_call>(.*)", re.DOTALL)
PIECES = (
    "<tool_call>",
    "</tool_call>",
    "{",
    "}",
    " ",
    "\n",
    "a",
    ">",
    "<function=",
    "<parameter=",
    "</parameter>",
)
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@settings(max_examples=examples(600), deadline=None)
@given(texts)
def test_the_linear_searches_find_what_the_patterns_find(text):
    assert _bodies(text) == HERMES_FC.findall(text)
    bodies = [block.body for block in tag_blocks(text)]
    assert bodies == [closed or rest for closed, rest in BLOCKS.findall(text)]


@settings(max_examples=examples(600), deadline=None)
@given(texts)
@example("<parameter=</parameter><parameter=</parameter></parameter>")
def test_the_linear_search_finds_the_parameters_of_the_pattern(text):
    body = text.replace("<tool_call>", "").replace("</tool_call>", "")
    (call,) = read_as_stella_guide(f"<tool_call><function=f>{body}</tool_call>", None).calls
    assert call.arguments == {name: value.strip() for name, value in STELLA_GUIDE.findall(body)}


HARD = [
    "<tool_call>{",
    "<tool_call>",
    '<tool_call>{"a": "</tool_call>',
    "<tool_call>{}</tool_call>",
    "}</tool_call>",
    "<tool_call><function=",
    "<tool_call><function=f><parameter=a>x",
    "<parameter=a> ",
    "[f(",
    "{",
    '{"a":',
    "'\\\"",
    '"\\"',
    "&quot;",
    "\n",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", HARD)
@pytest.mark.parametrize("head", ["", "<tool_call>", "<tool_call>{'"])
def test_no_text_makes_a_replica_hang(head, piece):
    # The original quadratic patterns take minutes for this, which exceeds the time limit of the tests.
    text = head + piece * (200_000 // len(piece))
    assert len(differ(text, TOOLS)) == len(ParserRule)
