"""A suite in the editor."""

import json
from dataclasses import replace

import pytest

from workbench.app.runs.suites import CheckedSuite
from workbench.errors import BadInput
from workbench.suite.exchange.any_suite import import_suite
from workbench.suite.read_suite import check_suite, parse_suite
from workbench.ui.present.suites.editor import BLANK, imported_note, show_suite_text, with_cases, with_rows
from workbench.ui.tabs.suites.edit_events import with_files


def shown(text):
    checked = check_suite(text, name="s")
    return show_suite_text(CheckedSuite(suite=checked.suite, faults=checked.faults))


def test_a_problem_has_its_line_case_and_pointer():
    view = shown("suite: s\ncases:\n  - id: a\n    prompt: p\n    expect: [{cals: []}]\n")
    [fault] = view.faults
    assert (fault.line, fault.place) == (5, "a · /expect/0/cals")
    assert fault.text.startswith("unknown key 'cals'; did you mean 'calls'?")
    assert view.note == "0 cases"


def test_cases_are_listed_with_their_templates_filled_in():
    view = shown(
        "suite: s\ndefaults: {tools: [weather], repeat: 3}\ncases:\n"
        "  - id: '{{ a }}'\n    prompt: 'is it {{ a }}'\n    tags: [x, y]\n    rows: [{a: 1}, {a: 2}]\n"
        "    expect: [{no_call: true}, {text_contains: '1'}]\n"
    )
    assert view.faults == ()
    assert [(case.id, case.user_text, case.expectations) for case in view.cases] == [
        ("1", "is it 1", "no_call, text_contains"),
        ("2", "is it 2", "no_call, text_contains"),
    ]
    assert view.cases[0].note == "x, y · weather · 3 repetitions"


def test_the_text_of_a_new_suite_is_valid():
    assert len(parse_suite(BLANK.format(name="s"), name="s").cases) == 1


@pytest.mark.parametrize("indent", ["", "  ", "    "])
def test_a_csv_file_becomes_a_case_template_with_any_indentation(indent):
    text = f"suite: s\ncases:\n# the first\n{indent}- id: a\n{indent}  prompt: p\n{indent}  expect: [{{no_call: true}}]\n"
    rows = '\ufeffcity,days left,unit\r\nRome,3,c\r\n"Paris, Texas",1,f\r\n'
    suite = parse_suite(with_rows(text, rows, file_name="cities.v1.csv"), name="s")
    assert [case.id for case in suite.cases] == ["a", "cities.v1-1", "cities.v1-2"]
    assert [case.messages[0].text for case in suite.cases[1:]] == ["Rome c", "Paris, Texas f"]


def test_an_invalid_csv_file_is_reported():
    with pytest.raises(BadInput, match=r"file a\.csv: no rows"):
        with_rows("suite: s\ncases:\n", "only names", file_name="a.csv")


PROMPTFOO = """prompts: ["{{ q }}"]
tests:
  - vars: {q: Hello there}
    assert: [{type: contains, value: hi}]
  - vars: {q: Bye}
    assert: [{type: moderation}]
"""


@pytest.mark.parametrize(
    "text", [BLANK.format(name="s"), "suite: s\ncases:\n- id: a\n  prompt: b\n  expect: [{no_call: true}]"]
)
def test_cases_of_promptfoo_follow_the_existing_ones_and_what_is_left_out_is_named(text):
    imported = import_suite(PROMPTFOO, name="p", is_yaml=True)
    suite = parse_suite(with_cases(text, imported), name="s")
    (added,), (case,) = suite.cases[1:], imported.suite.cases
    assert replace(added, tools=(), document=case.document) == replace(case, suite="s")
    assert imported_note(imported).startswith("Added 1 case") and "Skipped" in imported_note(imported)


def test_bfcl_needs_its_answers_or_its_cases_would_expect_no_call(tmp_path):
    function = {"name": "f", "description": "F.", "parameters": {"type": "dict", "properties": {}}}
    questions, answers = tmp_path / "BFCL_v4_simple.json", tmp_path / "answers.json"
    row = {"id": "simple_0", "question": [[{"role": "user", "content": "Go"}]], "function": [function]}
    questions.write_text(json.dumps(row))
    answers.write_text(json.dumps({"id": "simple_0", "ground_truth": [{"f": {}}]}))
    with pytest.raises(BadInput, match="answers are missing"):
        with_files("suite: s\ncases:\n", [questions])
    text, note = with_files("suite: s\ndefaults: {tools: [weather]}\ncases:\n", [questions, answers])
    (case,) = parse_suite(text, name="s").cases
    assert (case.id, case.tools, len(case.tool_specs)) == ("simple_0", (), 1)
    assert note.startswith("Added 1 case")
