"""The page about suites agrees with the code."""

import re
from pathlib import Path

from workbench.suite.case import CaseForm
from workbench.suite.expectation import CALL_KEYS, KINDS, OPTIONS, CallPattern, Expectation
from workbench.suite.read_suite import parse_suite

PAGE = (Path(__file__).parents[2] / "docs/reference/suites.md").read_text(encoding="utf-8")


def rows(heading):
    """Return the rows of the tables of a section, key to meaning."""
    text = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE))


def test_the_tables_of_expectations_match_the_code():
    assert rows("Expectations") == KINDS | OPTIONS
    assert rows("What a call must be") == CALL_KEYS


def test_the_tables_have_every_key():
    names = {field.alias or name for name, field in Expectation.model_fields.items()}
    assert names == {*KINDS, *OPTIONS}
    assert set(CallPattern.model_fields) == set(CALL_KEYS)
    assert set(rows("Keys of a case")) == {*CaseForm.model_fields, "rows"}


def test_the_example_can_be_parsed():
    example, conversation = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    [case] = parse_suite(example, name="travel").cases
    assert [expectation.kind for expectation in case.expectations] == ["calls", "text_contains"]
    [case] = parse_suite(f"suite: shop\ncases:\n{conversation}", name="shop").cases
    assert case.user.is_scripted
