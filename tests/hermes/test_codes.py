"""The reference page of codes matches the code, and its examples are true."""

import re
from pathlib import Path
from typing import Any

import pytest

from workbench.hermes.codes import CODES, CodeArea, CodeKind, is_guess, meaning_of
from workbench.hermes.parse import fixed, parse
from workbench.toolspec.tools_text import parse_tools

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "codes.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `([^`\n]+)`\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL))
BLOCK = re.compile(
    r"^(?P<fence>`{3,4})(?P<kind>diff|text)\n(?P<body>.*?)\n(?P=fence)$", re.MULTILINE | re.DOTALL
)
TOOLS = parse_tools("""[
    {"name": "get_weather", "parameters": {
        "type": "object", "required": ["city"], "additionalProperties": false,
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "metric": {"type": "boolean"}}}},
    {"name": "write_file", "parameters": {
        "type": "object", "required": ["path", "content"],
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}},
    {"name": "find_order", "parameters": {
        "type": "object", "properties": {"number": {"type": ["string", "integer"]}}}},
    {"name": "now", "parameters": {"type": "object", "properties": {}}}
]""")
NOT_OF_A_COMPLETION = {"schema-invalid", "schema-too-costly", "schema-…"}
"""Codes that depend on a tool's schema. Their examples are schemas."""


def test_the_page_contains_the_table_of_codes() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{code.word}` | {code.kind}{', a guess' if code.is_guess else ''} | {code.meaning} |"
        for code in CODES
    ]


def test_each_code_has_a_section_with_a_cause_and_a_prevention() -> None:
    assert list(SECTIONS) == [code.word for code in CODES]
    for word, section in SECTIONS.items():
        assert re.search(r"^- \*\*Why:\*\* \S", section, re.MULTILINE), word
        assert re.search(r"^- \*\*Prevent:\*\* \S", section, re.MULTILINE), word


def example_of(word: str) -> tuple[str, str, dict[str, Any]]:
    """Return the completion in a section, the text after the fix, and the options of `parse`."""
    section = SECTIONS[word]
    block = BLOCK.search(section)
    assert block is not None, f"{word} has no example"
    lines = block["body"].split("\n")
    options: dict[str, Any] = {"tools": TOOLS}
    if found := re.search(r"^Level: (\w+)\.", section, re.MULTILINE):
        options["level"] = found[1]
    if "Dialect: `xml`." in section:
        options["dialect"] = "xml"
    if "Finish reason: `length`." in section:
        options["finish_reason"] = "length"
    if block["kind"] == "text":
        return block["body"], block["body"], options
    before = "\n".join(line[1:] for line in lines if line[:1] != "+")
    after = "\n".join(line[1:] for line in lines if line[:1] != "-")
    return before, after, options


@pytest.mark.parametrize(
    "word",
    [
        code.word
        for code in CODES
        if code.area is not CodeArea.GENERATION
        and code.kind is not CodeKind.LINT
        and code.word not in NOT_OF_A_COMPLETION
    ],
)
def test_the_example_of_a_code_has_that_code_and_that_fix(word: str) -> None:
    before, after, options = example_of(word)
    reading = parse(before, **options)
    assert word in {entry.code for entry in (*reading.fixes, *reading.findings)}
    assert fixed(before, reading) == after


def test_codes_are_unique() -> None:
    assert len({code.word for code in CODES}) == len(CODES)


def test_a_code_of_another_schema_keyword_has_a_meaning() -> None:
    assert "min-length" in meaning_of("schema-min-length")
    assert not is_guess("schema-min-length")
    assert is_guess("unescaped-quote")
