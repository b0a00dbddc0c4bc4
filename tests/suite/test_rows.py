"""Tables of rows, and the suites that are made from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.contract.contract import parse_contract
from workbench.errors import BadInput
from workbench.suite.read_suite import parse_suite
from workbench.suite.row_suite import row_suite
from workbench.suite.row_table import RowTable, decode_rows, read_rows

CONTRACT = parse_contract(
    "---\ntitle: A\nfamily: hermes-lines\nvariables:\n  tone: plain\n  place: here\n---\nBe {{ tone }}.",
    name="a",
)


@pytest.mark.parametrize(
    "text",
    [
        "city,tone\nRome,formal\nOslo,calm\n",
        "\ufeffcity,tone\r\nRome,formal\r\n\r\nOslo,calm",
        "city\ttone\nRome\tformal\nOslo\tcalm",
        "city;tone\nRome;formal\nOslo;calm",
        '"city" , tone\n"Rome",formal\n"Oslo",calm'.replace(" ,", ","),
        '{"city": "Rome", "tone": "formal"}\n\n{"tone": "calm", "city": "Oslo"}',
        '[{"city": "Rome", "tone": "formal"}, {"city": "Oslo", "tone": "calm"}]',
        '{"city": "Rome", "tone": "formal"}\r{"tone": "calm", "city": "Oslo"}\r',
    ],
)
def test_rows_are_csv_cells_or_json(text):
    table = read_rows(text)
    assert table.columns == ("city", "tone")
    assert [dict(row) for row in table.rows] == [
        {"city": "Rome", "tone": "formal"},
        {"city": "Oslo", "tone": "calm"},
    ]
    assert table.warnings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "rows: empty"),
        (" \n ", "rows: empty"),
        ("city,tone\n", "rows: no rows"),
        ("a,b\n1,2\n3\n", r"line 3 \(row 2\): 1 cell for 2 columns; there is no value for column 'b'"),
        ("a,b\n1,2,3\n", r"line 2 \(row 1\): 3 cells for 2 columns; '3' is after the last column"),
        ('a,b\n"x\ny",2\n1\n', r"line 4 \(row 2\)"),
        ("a,b,a\n1,2,3", "line 1, column 3: column 1 is also named 'a'"),
        ("a,,b\n1,2,3", "line 1, column 2: the column has no name"),
        ("City name,b\n1,2", "line 1, column 1: the name 'City name' cannot be used .*City_name"),
        ("\n\nCity name,b\n1,2", "line 3, column 1: the name 'City name' cannot be used"),
        ('a\n"x"y\n', "line 2: not CSV"),
        ('a\n"x', "line 2: not CSV"),
        ('{"a": 1}\n{"b": 1}', "line 1: there is no value for 'b'"),
        ('{"a": 1}\n[1]', "line 2: not a JSON object"),
        ('{"a": 1}\n{"a"', "line 2: not JSON"),
        ("[1]", "row 1: not a JSON object"),
        ('{"a b": 1}', "line 1: the name 'a b' cannot be used"),
        ("a\n" + "x\n" * 5_001, "5,001 rows; at most 5,000"),
        ("a,b\n" + "x" * 200_001 + ",1", "line 2: a cell is too long"),
        ("a\n" + "x" * 800_000, "800,002 characters; at most 800,000"),
    ],
)
def test_a_problem_of_rows_is_reported_with_its_place(text, message):
    with pytest.raises(BadInput, match=message):
        read_rows(text)


def test_only_line_breaks_end_a_json_line():
    assert read_rows('{"city": "Rome\u2028Italy"}\n{"city": "\x85"}').rows == (
        {"city": "Rome\u2028Italy"},
        {"city": "\x85"},
    )


def test_equal_rows_are_mentioned():
    assert read_rows("a\nx\ny\nx\n").warnings == ("Row 3 is equal to row 1.",)


def test_a_file_is_utf_8_or_utf_16():
    assert decode_rows("a\nü".encode(), where="f") == "a\nü"
    assert decode_rows("a\nü".encode("utf-8-sig"), where="f") == "a\nü"
    assert decode_rows("a\nü".encode("utf-16"), where="f") == "a\nü"
    with pytest.raises(BadInput, match="f, line 2, byte 3: not UTF-8 text"):
        decode_rows("a\nxyü".encode("latin-1"), where="f")


def suite_of(message, text, values=None, **tools):
    made = row_suite("mine", message, read_rows(text), CONTRACT, values or {}, **tools)
    return made, parse_suite(made.text, name="mine").cases


def test_each_row_becomes_a_case():
    made, cases = suite_of(
        "Weather in {{ city }}? {{place}} {{ '{{' }} {x}",
        "city,tone,note\nRome,formal,x\nOslo,calm,y",
        {"place": "{{ there }}", "other": "ignored"},
        tools=("weather",),
    )
    assert (made.in_message, made.in_contract, made.unused) == (("city",), ("tone",), ("note",))
    assert [case.messages[0].text for case in cases] == [
        "Weather in Rome? {{ there }} {{ {x}",
        "Weather in Oslo? {{ there }} {{ {x}",
    ]
    assert [case.variables for case in cases] == [
        {"place": "{{ there }}", "tone": "formal"},
        {"place": "{{ there }}", "tone": "calm"},
    ]
    assert [case.id for case in cases] == ["row-1", "row-2"]
    assert cases[1].row == {"city": "Oslo", "tone": "calm", "note": "y"}
    assert {case.tools for case in cases} == {("weather",)}


def test_a_column_named_id_names_the_cases():
    assert [case.id for case in suite_of("{{ q }}", "id,q\nfirst,1\nsecond,2")[1]] == ["first", "second"]
    assert [case.id for case in suite_of("{{ q }}", "id,q\nx,1\nx,2")[1]] == ["row-1", "row-2"]


def test_values_of_json_rows_are_written_as_json():
    _, cases = suite_of("{{ n }} {{ list }}", '{"n": 3, "list": [1, "{{ x }}"], "tone": 5}')
    assert cases[0].messages[0].text == '3 [1, "{{ x }}"]'
    assert cases[0].variables == {"tone": "5"}


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (" ", "message: empty"),
        ("a\n{{ citty }}", "message, line 2: there is no column or variable 'citty' .did you mean 'city'"),
        ("{{ city | upper }}", "message, line 1: .* is not a placeholder"),
        ("{{ city }}", "rows, row 2, column 'city': the message would be empty"),
    ],
)
def test_a_problem_of_the_message_is_reported(message, problem):
    with pytest.raises(BadInput, match=problem):
        suite_of(message, "city,tone\nRome,formal\n ,calm")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip))
def test_any_cell_reaches_the_message_and_the_variable_unchanged(cell):
    table = RowTable(columns=("tone",), rows=({"tone": cell},))
    made = row_suite("mine", "say {{ tone }}", table, CONTRACT, {})
    [case] = parse_suite(made.text, name="mine").cases
    assert case.messages[0].text == f"say {cell}"
    assert case.variables == {"tone": cell}
