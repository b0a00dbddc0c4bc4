"""Calls in the form of other model families: named, explained, read at the lenient level, never found in plain answers."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.hermes.laws import (
    assert_events_match,
    assert_fixed_text_is_read_strictly,
    assert_spans_are_correct,
    streamed,
)
from tests.hermes.readings import TOOLS
from workbench.hermes.dialects.forms import FORMS, OPENER, find_opener
from workbench.hermes.dialects.known import DIALECTS
from workbench.hermes.parse import parse
from workbench.hermes.stream import Stream
from workbench.hermes.stream_events import TextDelta

CORPUS = Path(__file__).parents[1] / "corpus" / "dialects.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
LEVELS = ("strict", "tolerant", "lenient")
PLAIN = {form.dialect for form in FORMS if form.is_plain}


def calls_of(reading: Any) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": dict(call.arguments)} for call in reading.calls]


def test_every_dialect_has_at_least_eight_rows() -> None:
    counts = {key: sum(row["dialect"] == key for row in ROWS) for key in DIALECTS}
    assert min(counts.values()) >= 8, counts
    assert {row["dialect"] for row in ROWS} == DIALECTS.keys()
    assert all(row["source"].startswith("https://") for row in ROWS)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_foreign_call_is_named_and_read_only_at_the_lenient_level(row: dict[str, Any], level: str) -> None:
    reading = parse(row["text"], tools=TOOLS, level=level)
    expected = row["calls"][level]
    assert {form.dialect for form in reading.foreign} == {row["dialect"]}
    assert calls_of(reading) == expected
    assert row["advice"] in DIALECTS[row["dialect"]].advice
    damaged = row.get("damaged", 0) if expected else len(reading.foreign)
    assert [form.is_read for form in reading.foreign].count(False) == damaged
    assert_spans_are_correct(reading)
    assert_fixed_text_is_read_strictly(reading, {"tools": TOOLS, "level": level, "dialect": "auto"})


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_foreign_call_is_named_without_tools_too(row: dict[str, Any]) -> None:
    reading = parse(row["text"])
    assert reading.calls == ()
    # Forms that plain answers contain too need a tool's name, unless they are all that the model wrote. So does a name
    # alone between <tool_call> tags.
    if row["dialect"] not in PLAIN and "name alone" not in row["note"] and "names alone" not in row["note"]:
        assert {form.dialect for form in reading.foreign} == {row["dialect"]}


@pytest.mark.parametrize("size", [1, 3, 7])
@pytest.mark.parametrize("level", LEVELS)
def test_a_stream_gives_the_same_reading_and_no_foreign_text_as_prose(level: str, size: int) -> None:
    for row in ROWS:
        text = row["text"]
        stream = Stream(tools=TOOLS, level=level)
        events = [event for at in range(0, len(text), size) for event in stream.feed(text[at : at + size])]
        reading = stream.finish()
        assert reading == parse(text, tools=TOOLS, level=level), row["id"]
        shown = "".join(
            event.text
            for event in [*events, *stream.last_events()]
            if isinstance(event, TextDelta) and event.kind == "prose"
        )
        if level == "lenient" and row["calls"]["lenient"] and not row.get("damaged"):
            assert shown.strip() == "".join(reading.prose).strip(), row["id"]


PLAIN_PIECES = (
    "Here is the configuration:\n```json\n{}\n```\nRestart the server afterwards.",
    "The endpoint answers with `{}` and status 200.",
    "You can write it like this:\n```python\nprint({!r})\nresult = compute(a=1, b=2)\n```",
    "```\n{}\n```",
    "{}",
    "The schema of a tool looks like this:\n```json\n{}\n```",
    "First, call `setup()`. Then edit the file:\n```yaml\nname: build\nsteps: [1, 2]\n```\n{}",
    "In JavaScript:\n```js\nconst answer = {};\nfetch(url, {{ method: 'POST' }});\n```",
    "Mistral models write `[TOOL_CALLS]` before a call, Llama models write `<|python_tag|>`. {}",
    'An example of the Mistral form:\n```\n[TOOL_CALLS] [{{"name": "lookup", "arguments": {}}}]\n```',
    'print("hello")\n\n{}',
    "Use <table> and <tool> elements: <tool>{}</tool>",
    "sorted(values, key=len) returns a list.\n{}",
    "| name | arguments |\n|---|---|\n| f | {} |",
)
PLAIN_VALUES: tuple[Any, ...] = (
    {"name": "Ada", "age": 36},
    {"name": "get_time", "description": "The time", "parameters": {"type": "object", "properties": {}}},
    {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}},
    {"status": "ok", "arguments": [1, 2, 3]},
    [{"id": 1}, {"id": 2}],
    {"name": "lookup", "arguments": {"id": 7}},
    {"error": {"code": 404, "message": "no such page"}},
    "text",
    [1, 2.5, None, True],
    {"command": "deploy", "parameters": {"region": "eu"}},
)


def plain_answers() -> list[str]:
    draw = random.Random(25)
    return [
        "\n\n".join(
            draw.choice(PLAIN_PIECES).format(
                json.dumps(draw.choice(PLAIN_VALUES), indent=draw.choice((None, 2)))
            )
            for _ in range(draw.randint(1, 3))
        )
        for _ in range(500)
    ]


def test_no_call_is_seen_in_500_plain_answers_with_code_and_json() -> None:
    for answer in plain_answers():
        reading = parse(answer, tools=TOOLS)
        assert (reading.foreign, reading.findings, reading.calls) == ((), (), ()), answer


MUSE = (
    '<atem:function_calls>\n<atem:invoke name="g">\n<atem:parameter name="k">v</atem:parameter>\n</atem:invoke>\n'
    "</atem:function_calls>"
)
MENTIONS = (
    "Kimi models write <|tool_call_begin|> and <|tool_call_end|> around a call.",
    "Action: f\nThen we wait. The field Action Input holds the arguments.",
    "I call functools.partial(f, 1) and functools[0].",
    ">>> f\n{1, 2}\n>>> g(1)\n3",
    "f\n\nThat is its name.",
    "```python\nfor city in cities:\n    get_weather(city=city)\n```",
    'The tool takes {"name": "f", "arguments": {"a": 1}} as its form.',
    '[1, 2, 3]\n[{"id": 1}]',
    '[{"name": "f", "description": "x", "parameters": {"type": "object", "properties": {}}}]',
    "✿ Spring menu ✿\nFUNCTION: dinner",
    "The tags <tool_calls> and </tool_calls>, <seed:tool_call> and </seed:tool_call>.",
    'The tags <invoke> and <parameter>; <invoke name="f"> opens a call.',
    "Use [THINK] first.\nThen answer.",
    "def f(a=1):\n    return g(b=2)",
    "```python\nimport functools\nf(x)\ng(y=2)\n```",
    "f(x)\ng(y=2)",
    "x = h(3)\n\ng(y=2)",
    "from f import g\ng(y=2)",
    f" to=self<|message|>Perhaps {MUSE}<|eom|>",
    f" to=user<|message|>Write {MUSE} to call it.<|eom|>",
    f"<|start|>assistant to=user<|message|>Write\n{MUSE}",
)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("text", MENTIONS)
def test_code_and_prose_that_mention_a_form_hold_no_call(text: str, level: str) -> None:
    reading = parse(text, tools=TOOLS, level=level)
    assert reading.calls == ()
    assert "".join(reading.prose) == text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f" to=self<|message|>Perhaps {MUSE}<|eom|><|start|>assistant to=g<|message|>{MUSE}<|eom|>", 1),
        (f" to=self<|message|>Perhaps.<|eom|>{MUSE}", 1),
        (f" to=g<|message|>{MUSE}<|eom|>", 1),
        (f"{MUSE}<|eom|><|start|>assistant to=user<|message|>As in {MUSE}", 1),
        ("I call it: f(x)\n g(y=2)", 1),
        ("Now f(x).\ng(y=2)\ng(y=3)", 2),
    ],
)
def test_a_call_after_a_thought_or_an_example_is_read(text: str, count: int) -> None:
    options = {"tools": TOOLS, "level": "lenient", "dialect": "auto", "finish_reason": "stop"}
    reading = parse(text, **options)
    assert [call.name for call in reading.calls] == ["g"] * count
    assert_fixed_text_is_read_strictly(reading, options)
    for cut in range(len(text)):
        events, again = streamed([text[:cut], text[cut:]], **options)
        assert again == reading
        assert_events_match(events, reading)


def tagged(*parameters: str) -> str:
    return f'<function name="typed">{"".join(parameters)}</function>'


@pytest.mark.parametrize(
    ("text", "arguments", "codes"),
    [
        (
            tagged('<param name="s">a</param>', '<param name="s">b</param>'),
            {"s": "b"},
            ["foreign-call", "duplicate-parameter"],
        ),
        (
            tagged('<param name="s"><![CDATA[ a < b </param> & "c"\n]]></param>'),
            {"s": ' a < b </param> & "c"\n'},
            ["foreign-call"],
        ),
        (
            tagged('<param name="s">\n<![CDATA[<function name="g"><param name="k">]]>\n</param>'),
            {"s": '<function name="g"><param name="k">'},
            ["foreign-call"],
        ),
        (tagged('<param name="i"><![CDATA[5]]></param>'), {"i": 5}, ["foreign-call"]),
        (tagged('<param name="s">a <![CDATA[b]]></param>'), {"s": "a <![CDATA[b]]>"}, ["foreign-call"]),
        (tagged('<param name="s"><![CDATA[b</param>'), {"s": "<![CDATA[b"}, ["foreign-call"]),
        (
            tagged('<param name="arguments">{"i": 5, "s": "x"}</param>'),
            {"i": 5, "s": "x"},
            ["foreign-call", "string-arguments"],
        ),
        (
            '<｜DSML｜function_calls>\n<｜DSML｜invoke name="typed">\n<｜DSML｜parameter name="input" string="false">'
            '{"i": "5"}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
            {"i": 5},
            ["coerced-by-schema", "foreign-call", "string-arguments"],
        ),
        (
            tagged('<param name="arguments">{"other": 5}</param>'),
            {"arguments": '{"other": 5}'},
            ["foreign-call"],
        ),
        (
            tagged('<param name="arguments">{"i": 5}</param>', '<param name="s">x</param>'),
            {"arguments": '{"i": 5}', "s": "x"},
            ["foreign-call"],
        ),
    ],
)
def test_values_of_xml_forms_are_read_as_their_models_write_them(
    text: str, arguments: dict[str, Any], codes: list[str]
) -> None:
    options = {"tools": TOOLS, "level": "lenient", "dialect": "auto", "finish_reason": "stop"}
    reading = parse(text, **options)
    assert [(call.name, call.arguments) for call in reading.calls] == [("typed", arguments)]
    found = [
        entry.code for entry in (*reading.fixes, *reading.findings) if not entry.code.startswith("schema-")
    ]
    assert sorted(found) == sorted(codes)
    assert_fixed_text_is_read_strictly(reading, options)
    assert_spans_are_correct(reading)


def glm(value: str) -> str:
    return f"<tool_call>g\n<arg_key>k</arg_key>\n<arg_value>{value}</arg_value>\n</tool_call>"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "value",
    [
        "contains <tool_call> strings",
        "contains </tool_call> strings",
        'as in <tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
        "<tool_call>\n<function=f>\n</function>\n</tool_call>",
    ],
)
def test_a_value_of_glm_may_contain_the_tags_of_calls(value: str, level: str) -> None:
    options = {"tools": TOOLS, "level": level, "dialect": "auto", "finish_reason": "stop"}
    text = f"Hi\n{glm(value)}\n{glm('v')}"
    reading = parse(text, **options)
    calls = [(call.name, call.arguments) for call in reading.calls]
    assert calls == ([("g", {"k": value}), ("g", {"k": "v"})] if level == "lenient" else [])
    assert [finding.code for finding in reading.findings] == (
        [] if level == "lenient" else ["foreign-dialect"] * 2
    )
    assert_fixed_text_is_read_strictly(reading, options)
    for cut in range(len(text)):
        events, again = streamed([text[:cut], text[cut:]], **options)
        assert again == reading
        assert_events_match(events, reading)


def test_a_value_of_glm_without_its_end_does_not_take_the_next_call() -> None:
    text = f"{glm('v').replace('</arg_value>', '')}\n{glm('w')}"
    assert [call.arguments for call in parse(text, tools=TOOLS, level="lenient").calls] == [{"k": "w"}]


def test_the_page_lists_every_dialect_with_its_parsers() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/dialects.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip().strip("`") for cell in line.replace("\\|", "¦").strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("| `")
    ]
    assert rows == [
        [dialect.key, dialect.title.replace("|", "¦"), dialect.vllm, dialect.sglang]
        for dialect in DIALECTS.values()
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_an_opener_is_found_wherever_it_is_in_a_long_text(row: dict[str, Any]) -> None:
    for before in (0, *range(3880, 4010, 6), 9_990):
        text = "x " * (before // 2) + "\n" + row["text"]
        expected, found = OPENER.search(text), find_opener(text, 0, len(text))
        assert (expected and expected.regs) == (found and found.regs)
