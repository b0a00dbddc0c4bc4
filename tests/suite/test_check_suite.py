"""All that is wrong with a suite is told at once, for whoever is writing it."""

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


def test_every_fault_has_its_line_its_pointer_and_its_case():
    checked = check_suite(TEXT, name="s")
    told = [(one.line, one.case, one.pointer, one.problem) for one in checked.faults]
    assert [(line, case, pointer) for line, case, pointer, _ in told] == [
        (9, "bad", "/thresh"),
        (11, "bad", "/expect/0"),
        (12, "bad", "/expect/1"),
        (13, "", ""),
        (16, "rows", ""),
    ]
    assert told[3][3] == "two cases are called 'good'"
    assert told[4][3] == "row 1: no column 'b'"


def test_what_is_sound_is_read_all_the_same():
    checked = check_suite(TEXT, name="s")
    assert [case.id for case in checked.suite.cases] == ["good", "filled-x", "filled-y, z"]
    assert checked.indexes == (0, 4, 4)
    assert checked.suite.cases[2].tags == ("all",)


@pytest.mark.parametrize("text", ["", "a: [", "- 1", "suite: s", "suite: s\ncases: [1]", "\0", "&a [*a]"])
def test_no_text_raises(text):
    assert check_suite(text, name="s").faults


def test_a_sound_suite_has_no_fault_and_is_the_one_that_is_parsed():
    text = "suite: s\ncases:\n  - {id: a, prompt: p, expect: [{no_call: true}]}\n"
    checked = check_suite(text, name="s")
    assert checked.faults == ()
    assert checked.suite == parse_suite(text, name="s")
