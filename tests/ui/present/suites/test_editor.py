"""A suite that is being written."""

import pytest

from workbench.app.runs.suites import CheckedSuite
from workbench.errors import BadInput
from workbench.suite.read_suite import check_suite, parse_suite
from workbench.ui.present.suites.editor import BLANK, show_suite_text, with_rows


def shown(text):
    checked = check_suite(text, name="s")
    return show_suite_text(CheckedSuite(suite=checked.suite, faults=checked.faults))


def test_what_is_wrong_has_its_line_its_case_and_its_pointer():
    view = shown("suite: s\ncases:\n  - id: a\n    prompt: p\n    expect: [{cals: []}]\n")
    [fault] = view.faults
    assert (fault.line, fault.place) == (5, "a · /expect/0")
    assert fault.text.startswith("no expectation 'cals'; there are calls")
    assert view.note == "0 cases"


def test_the_cases_are_told_as_they_are_filled():
    view = shown(
        "suite: s\ndefaults: {tools: [weather], repeat: 3}\ncases:\n"
        "  - id: '{{ a }}'\n    prompt: 'is it {{ a }}'\n    tags: [x, y]\n    rows: [{a: 1}, {a: 2}]\n"
        "    expect: [{no_call: true}, {text_contains: '1'}]\n"
    )
    assert view.faults == ()
    assert [(one.id, one.said, one.wants) for one in view.cases] == [
        ("1", "is it 1", "no_call, text_contains"),
        ("2", "is it 2", "no_call, text_contains"),
    ]
    assert view.cases[0].note == "x, y · weather · 3 plays"


def test_a_new_suite_can_be_read():
    assert len(parse_suite(BLANK.format(name="s"), name="s").cases) == 1


@pytest.mark.parametrize("indent", ["", "  ", "    "])
def test_a_csv_file_becomes_a_template_of_cases_whatever_the_indent(indent):
    text = f"suite: s\ncases:\n# the first\n{indent}- id: a\n{indent}  prompt: p\n{indent}  expect: [{{no_call: true}}]\n"
    rows = '\ufeffcity,days left,unit\r\nRome,3,c\r\n"Paris, Texas",1,f\r\n'
    suite = parse_suite(with_rows(text, rows, file_name="cities.v1.csv"), name="s")
    assert [case.id for case in suite.cases] == ["a", "cities.v1-1", "cities.v1-2"]
    assert [case.messages[0].text for case in suite.cases[1:]] == ["Rome c", "Paris, Texas f"]


def test_what_is_no_csv_file_is_told():
    with pytest.raises(BadInput, match=r"file a\.csv: it has no rows"):
        with_rows("suite: s\ncases:\n", "only names", file_name="a.csv")
