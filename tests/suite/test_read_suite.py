"""`parse_suite` parses suites and reports a problem in one line with its position."""

import pytest

from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.suite.case import tagged
from workbench.suite.read_suite import parse_suite, render_suite

GOOD = """
suite: s
description: All there is to say.
defaults: {tools: [weather], tags: [a], max_rounds: 2}
cases:
  - id: one
    prompt: hi
    expect: [{no_call: true}]
  - id: two
    messages:
      - {role: system, content: Be brief.}
      - {role: user, content: "What is the weather?"}
      - {role: assistant, content: "", calls: [{name: get_weather, arguments: {city: Rome}}]}
      - {role: tool, name: get_weather, content: '{"weather": 21}'}
      - {role: user, content: "And in Oslo?"}
    tags: [b]
    tool_choice: required
    threshold: 0.5
    repeat: 3
    mocks: {get_weather: [{result: 1}]}
    expect:
      - calls: [{name: get_weather, arguments: {city: {any_of: [Oslo, oslo]}}}]
        weight: 2
      - not: {text_contains: sorry}
"""


def test_a_suite_is_parsed_with_its_defaults():
    suite = parse_suite(GOOD, name="s")
    one, two = suite.cases
    assert (one.tools, one.tags, one.max_rounds, one.messages[0].text) == (("weather",), ("a",), 2, "hi")
    assert [message.role for message in two.messages] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER]
    assert two.messages[1].calls[0].arguments == {"city": "Rome"}
    assert (two.system, two.tags, two.tool_choice, two.threshold, two.repeat) == (
        "Be brief.", ("b",), "required", 0.5, 3,
    )  # fmt: skip
    assert two.mocks == {"get_weather": [{"result": 1}]}
    assert [expectation.kind for expectation in two.expectations] == ["calls", "not"]
    assert tagged(suite.cases, ["b"]) == (two,)


def test_a_rendered_suite_is_parsed_unchanged():
    suite = parse_suite(GOOD, name="s")
    assert parse_suite(render_suite(suite), name="s").cases == suite.cases


CASE = "suite: s\ncases:\n  - id: one\n    prompt: hi\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("suite: s\ncases: [", "suite 's', line 2: not YAML"),
        ("- a", "suite 's', line 1: not a mapping (begin with suite: and cases:)"),
        ("suite: other\ncases: [{id: a, prompt: p, expect: [{no_call: true}]}]", "line 1: the name in the text is 'other'"),
        ("suite: s\ncases: []", "line 2, /cases"),
        ("suite: s\ncase: []", "line 2, /case: unknown key 'case'; did you mean 'cases'?"),
        (CASE, "case 'one', line 3, /expect: 'expect' is missing"),
        (CASE + "    expect: []\n", "line 5, /expect"),
        (CASE + "    expect:\n      - cals: []\n", "line 6, /expect/0/cals: unknown key 'cals'; did you mean 'calls'?"),
        (CASE + "    expect:\n      - {no_call: true, asks: true}\n", "this one has no_call and asks"),
        (CASE + "    expect:\n      - {weight: 2}\n", "exactly one kind; this one has none"),
        (CASE + "    expect:\n      - {no_call: true, in_order: true}\n", "in_order can be used only with calls, not with no_call"),
        (CASE + "    expect:\n      - {text_matches: '('}\n", "is not a regular expression"),
        (CASE + "    expect:\n      - calls: [{name: f, arguments: {a: {regex: '(?=a)a'}}}]\n", "needs backtracking"),
        (CASE + "    expect:\n      - calls: [{name: f, count: 0}]\n", "line 6, /expect/0/calls/0/count"),
        (CASE + "    expect:\n      - calls: [{arguments: {}, has_arguments: {}}]\n", "not both"),
        (CASE + "    expect:\n      - calls: [{arguments_schema: {type: 3}}]\n", "the schema is invalid"),
        (CASE + "    expect:\n      - not: {no_cal: true}\n", "/expect/0/not/no_cal: unknown key 'no_cal'; did you mean 'no_call'?"),
        (CASE + "    messages: [{role: user, content: x}]\n    expect: [{no_call: true}]\n", "give one of prompt, messages and user"),
        ("suite: s\ncases:\n  - id: a\n    messages: [{role: assistant}]\n    expect: [{no_call: true}]\n", "must have the role user"),
        (CASE + "    expect: [{no_call: true}]\n  - id: one\n    prompt: b\n    expect: [{no_call: true}]\n", "two cases have the id 'one'"),
        (CASE + "    thresh: 1\n    expect: [{no_call: true}]\n", "line 5, /thresh: unknown key 'thresh'; did you mean 'threshold'?"),
        (CASE + "    row: a.csv\n    expect: [{no_call: true}]\n", "/row: unknown key 'row'; did you mean 'rows'?"),
        (CASE + "    expect: [{no_call: true}]\n    zzz: 1\n", "unknown key 'zzz'; known keys: tools, tool_specs,"),
        (CASE + "    expect: [{call_count: {at_lest: 1}}]\n", "/expect/0/call_count/at_lest: unknown key 'at_lest'; did you mean 'at_least'?"),
        (CASE + "    expect: [{call_count: many}]\n", "/expect/0/call_count: must be a whole number or an object"),
        (CASE + "    expect: [{text_contains: 3}]\n", "/expect/0/text_contains: must be a text or a list"),
        (CASE + "    expect: [{rounds_at_most: 0}]\n", "/expect/0/rounds_at_most: must be at least 1"),
        (CASE + "    expect: [{within: ever, no_call: true}]\n", "/expect/0/within: must be 'first' or 'turn'"),
        (CASE + "    expect: [{calls: [{name: f, arguments: {a: {regexp: x}}}]}]\n", "`regexp` is not a condition; did you mean `regex`?"),
        (CASE + "    expect: [{calls: [{name: f, arguments: {a: {any_of: [{equal: 1}]}}}]}]\n", "did you mean `equals`?"),
        (CASE + "    expect: [{calls: [{name: f, arguments: {a: {regex: x, any_of: [y]}}}]}]\n", "a condition has one key, not both"),
        (CASE + "    rows: cities.csv\n    expect: [{no_call: true}]\n", "'cities.csv' cannot be read here"),
        (CASE + "    rows: 3\n    expect: [{no_call: true}]\n", "rows must be"),
        (CASE + "    rows: [{a: 1}]\n    expect: [{text_contains: '{{ b }}'}]\n", "row 1: no column 'b' (known columns: a)"),
    ],
)  # fmt: skip
def test_a_problem_is_reported_with_its_position(text, message):
    with pytest.raises(BadInput) as error:
        parse_suite(text, name="s")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


TEMPLATE = """
suite: s
cases:
  - id: "{{ city }}"
    prompt: Weather in {{city}}?
    rows: cities.csv
    expect:
      - calls: [{name: get_weather, arguments: {city: "{{ city }}", days: "{{ days | json }}"}}]
"""


def test_a_template_becomes_a_case_for_each_row_of_a_csv_file():
    csv = 'city,days\nRome,3\n"Paris, Texas",1\n'
    suite = parse_suite(TEMPLATE, name="s", read_file={"cities.csv": csv}.__getitem__)
    assert [case.id for case in suite.cases] == ["Rome", "Paris, Texas"]
    assert suite.cases[1].messages[0].text == "Weather in Paris, Texas?"
    assert suite.cases[1].expectations[0].calls[0].arguments == {"city": "Paris, Texas", "days": 1}


@pytest.mark.parametrize(
    ("csv", "message"),
    [
        ("city,days\n", "file cities.csv: no rows"),
        ("city,days\nRome\n", "file cities.csv, line 2 .row 1.: 1 cell for 2 columns"),
        ("city,days\nRome,three\n", "'three' is not JSON"),
        ('city,days\n"Rome,3\n', "not CSV"),
    ],
)
def test_an_invalid_csv_file_is_reported(csv, message):
    with pytest.raises(BadInput, match=message):
        parse_suite(TEMPLATE, name="s", read_file={"cities.csv": csv}.__getitem__)


def test_cases_of_a_template_get_different_ids():
    text = CASE + "    rows: [{a: 1}, {a: 2}]\n    expect: [{text_contains: '{{ a }}'}]\n"
    assert [case.id for case in parse_suite(text, name="s").cases] == ["one-1", "one-2"]
