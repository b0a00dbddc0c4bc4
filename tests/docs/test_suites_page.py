"""The page of suites says what the code does."""

import re
from pathlib import Path

from workbench.suite.case import CaseForm
from workbench.suite.expectation import CALL_KEYS, KINDS, OPTIONS, CallPattern, Expectation
from workbench.suite.read_suite import parse_suite

PAGE = (Path(__file__).parents[2] / "docs/reference/suites.md").read_text(encoding="utf-8")


def rows(heading):
    """The rows of a section's tables, key to meaning."""
    text = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE))


def test_the_tables_of_expectations_are_the_code_s():
    assert rows("Expectations") == KINDS | OPTIONS
    assert rows("What a call must be") == CALL_KEYS


def test_the_tables_have_every_key_that_can_be_written():
    names = {field.alias or name for name, field in Expectation.model_fields.items()}
    assert names == {*KINDS, *OPTIONS}
    assert set(CallPattern.model_fields) == set(CALL_KEYS)
    assert set(rows("Keys of a case")) == {*CaseForm.model_fields, "rows"}


def test_the_example_can_be_read():
    [example] = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert [each.kind for each in parse_suite(example, name="travel").cases[0].expectations] == [
        "calls",
        "text_contains",
    ]
