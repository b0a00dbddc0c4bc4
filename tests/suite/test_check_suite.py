"""`check_suite` reports all problems of a suite at once."""

import pytest

from workbench.suite.read_suite import check_suite, parse_suite

TEXT = """suite: s
defaults: {tags: [all]}
cases:
  - id: good
    prompt: hi
    expect: [{no_call: true}]
  - id: bad
    prompt: hi
    thresh: 1
    expect:
      - {cals: []}
      - {text_matches: "("}
  - id: good
    prompt: again
    expect: [{no_call: true}]
  - id: rows
    prompt: "{{ a }} {{ b }}"
    rows: |
      a,c
      1,2
    expect: [{no_call: true}]
  - id: filled-{{ a }}
    prompt: "{{ a }}"
    rows: |
      a
      x
      "y, z"
    expect: [{text_contains: "{{ a }}"}]
"""


def test_every_problem_has_its_line_its_pointer_and_its_case():
    checked = check_suite(TEXT, name="s")
    assert [(fault.line, fault.case, fault.pointer) for fault in checked.faults] == [
        (9, "bad", "/thresh"),
        (11, "bad", "/expect/0/cals"),
        (12, "bad", "/expect/1"),
        (13, "", ""),
        (16, "rows", ""),
    ]
    assert checked.faults[3].problem == "two cases have the id 'good'"
    assert checked.faults[4].problem == "row 1: no column 'b'"


def test_valid_cases_are_parsed_although_others_are_invalid():
    checked = check_suite(TEXT, name="s")
    assert [case.id for case in checked.suite.cases] == ["good", "filled-x", "filled-y, z"]
    assert checked.indexes == (0, 4, 4)
    assert checked.suite.cases[2].tags == ("all",)


@pytest.mark.parametrize("text", ["", "a: [", "- 1", "suite: s", "suite: s\ncases: [1]", "\0", "&a [*a]"])
def test_an_invalid_text_is_reported_and_never_raises(text):
    assert check_suite(text, name="s").faults


def test_a_valid_suite_has_no_problems_and_equals_the_parsed_one():
    text = "suite: s\ncases:\n  - {id: a, prompt: p, expect: [{no_call: true}]}\n"
    checked = check_suite(text, name="s")
    assert checked.faults == ()
    assert checked.suite == parse_suite(text, name="s")
