"""BFCL's questions are imported as suites and scored as BFCL's own checker scores them."""

import copy
import json
from functools import cache

import pytest

from tests.bfcl import FOLDER, data_folder
from tests.bfcl import ast_checker as checker_of
from workbench.chat.finding import Span
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.hermes.reading import CallStatus, Dialect, ReadCall
from workbench.suite.bfcl_score import check_bfcl
from workbench.suite.exchange.bfcl import export_bfcl, import_bfcl
from workbench.suite.read_suite import parse_suite, render_suite
from workbench.toolspec.tools_text import parse_tools

SETS = ("simple_python", "multiple", "parallel", "parallel_multiple")
WRONG_THEMSELVES = {
    "simple_python": ("simple_python_200",),
    "multiple": (),
    "parallel": (),
    "parallel_multiple": ("parallel_multiple_26",),
}
"""Questions whose first possible answer the checker refuses, because its type is not the declared one."""


@pytest.fixture(scope="module")
def ast_checker():
    """BFCL's checker from its package."""
    data_folder()
    return checker_of(FOLDER)


@cache
def suite(name):
    folder = data_folder()
    answers = folder / "possible_answer" / f"BFCL_v4_{name}.json"
    questions = (folder / f"BFCL_v4_{name}.json").read_text(encoding="utf-8")
    answers_text = answers.read_text(encoding="utf-8") if answers.exists() else None
    return import_bfcl(questions, answers_text, name=name)


def call(name, arguments):
    return ReadCall(
        name=name,
        arguments=arguments,
        payload="",
        span=Span(0, 0),
        dialect=Dialect.JSON,
        status=CallStatus.READY,
    )


def right_calls(answer, index=0):
    """Return the calls of an answer, with the possible value at `index`, or the last one, for each argument."""
    return [
        call(
            name,
            {key: picked(values, index) for key, values in possible.items() if picked(values, index) != ""},
        )
        for expected in answer.ground_truth
        for name, possible in expected.items()
    ]


def picked(values, index):
    value = values[min(index, len(values) - 1)] if values else ""
    return first_values(value)


def first_values(value):
    """Return an object with the first possible value of each key."""
    if isinstance(value, dict):
        return {k: first_values(v[0]) if isinstance(v, list) and v else v for k, v in value.items()}
    if isinstance(value, list):
        return [first_values(item) for item in value]
    return value


def variants(calls):
    """Yield calls that differ from the right ones. Most of them are wrong."""
    first, rest = calls[0], calls[1:]

    def with_arguments(arguments):
        return [call(first.name, arguments), *rest]

    yield []
    yield [*calls, first]
    yield calls[:-1]
    yield list(reversed(calls))
    yield [call(first.name + "x", first.arguments), *rest]
    yield with_arguments({**first.arguments, "surplus": 1})
    yield with_arguments({})
    for key, value in first.arguments.items():
        yield with_arguments({name: other for name, other in first.arguments.items() if name != key})
        for changed in changes(value):
            yield with_arguments({**first.arguments, key: changed})


def changes(value):
    """Yield other values: with another type, case or sign, or almost the same."""
    yield None
    yield [value]
    yield {"a": value}
    yield str(value)
    if isinstance(value, bool):
        yield from (not value, int(value))
    elif isinstance(value, int | float):
        yield from (value + 1, float(value), int(value), -value, True)
    elif isinstance(value, str):
        yield from (value + "x", value.upper(), value.replace(" ", "-"), f" {value}.", "", 3)
    elif isinstance(value, list):
        yield from ([], value[:-1], [*value, "x"], list(reversed(value)), [str(item) for item in value])
        yield [item.upper() if isinstance(item, str) else item for item in value]
    elif isinstance(value, dict):
        yield from ({}, {**value, "x": 1}, {k: str(v) for k, v in value.items()})


@pytest.mark.parametrize("name", SETS)
@pytest.mark.slow
def test_scoring_agrees_with_the_checker(name, ast_checker):
    refused = []
    for case in suite(name).suite.cases:
        answer = case.expectations[0].bfcl
        right = right_calls(answer)
        tried = [right, right_calls(answer, 1), *variants(right)]
        assert len(tried) >= 7
        wrong = 0
        for calls in tried:
            theirs = ast_checker(copy.deepcopy(answer), calls)
            assert (not check_bfcl(answer, calls)) == theirs, (case.id, calls)
            wrong += not theirs
        assert wrong >= 5, case.id
        if not ast_checker(answer, right):
            refused.append(case.id)
    assert tuple(refused) == WRONG_THEMSELVES[name]


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SETS)
def test_scoring_what_the_reader_read_agrees_with_the_checker(name, every, ast_checker):
    converted = 0
    for case in suite(name).suite.cases[::every]:
        answer = case.expectations[0].bfcl
        tools = parse_tools(list(case.tool_specs))
        right = right_calls(answer)
        for calls in (right, quoted(right), *variants(right)):
            text = "\n".join(written(one) for one in calls)
            found = parse(text, tools=tools).calls
            theirs = ast_checker(copy.deepcopy(answer), calls)
            assert (not check_bfcl(answer, found)) == theirs, (case.id, text)
            converted += any(one.unconverted is not None for one in found)
    assert converted > 10 // every


def quoted(calls):
    """Return the calls with each number and boolean as a text, as some models write them."""
    return [call(one.name, {key: quote(value) for key, value in one.arguments.items()}) for one in calls]


def quote(value):
    if isinstance(value, list):
        return [quote(item) for item in value]
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def written(one):
    body = json.dumps({"name": one.name, "arguments": one.arguments}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


def test_the_irrelevance_questions_expect_no_call():
    imported = suite("irrelevance")
    assert len(imported.suite.cases) == 240
    assert {case.expectations[0].kind for case in imported.suite.cases} == {"no_call"}


def test_offered_tools_have_json_schema_types_and_the_question_is_unchanged():
    case = suite("simple_python").suite.cases[0]
    assert case.tool_specs[0]["function"]["parameters"]["type"] == "object"
    assert case.expectations[0].bfcl.function[0]["parameters"]["type"] == "dict"
    assert case.messages[0].text.startswith("Find the area of a triangle")


@pytest.mark.parametrize("name", [*SETS, "irrelevance"])
def test_an_exported_suite_is_imported_unchanged(name):
    original = suite(name).suite
    exported = export_bfcl(original)
    assert exported.left_out == ()
    again = import_bfcl(
        exported.files["questions.json"], exported.files["possible_answer.json"], name=name
    ).suite
    assert [case.expectations for case in again.cases] == [case.expectations for case in original.cases]
    assert [case.messages for case in again.cases] == [case.messages for case in original.cases]


def test_an_imported_suite_can_be_written_as_a_suite_file():
    original = suite("parallel").suite
    again = parse_suite(render_suite(original), name="parallel")
    assert again.cases[:50] == original.cases[:50]


def test_questions_with_several_turns_or_in_other_languages_are_skipped():
    rows = [
        {"id": "multi_turn_0", "question": [[], []], "function": []},
        {"id": "simple_java_1", "question": [[]], "function": []},
    ]
    text = "\n".join(map(json.dumps, rows))
    with pytest.raises(BadInput, match="no question can be imported"):
        import_bfcl(text, None, name="mixed")


NOT_SINGLE = [
    ("multi_turn_base", "it has several turns and needs BFCL's classes (TwitterAPI, GorillaFileSystem)"),
    ("multi_turn_miss_func", "it has several turns and needs BFCL's classes"),
    ("memory", "it needs BFCL's classes (MemoryAPI)"),
    ("web_search", "it needs BFCL's classes (WebSearchAPI)"),
    ("format_sensitivity", "lists the IDs of questions in other files (simple_python, parallel,"),
]


@pytest.mark.parametrize(("name", "expected"), NOT_SINGLE, ids=[row[0] for row in NOT_SINGLE])
def test_a_set_that_is_no_list_of_single_turns_is_refused_with_what_it_needs(name, expected):
    questions = (data_folder() / f"BFCL_v4_{name}.json").read_text(encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        import_bfcl(questions, None, name=name)
    message = str(raised.value)
    assert expected in message
    assert any(remedy in message for remedy in ("Run this set with bfcl-eval", "Import those files"))
    assert "not JSON" not in message


def test_questions_with_classes_are_skipped_among_others():
    rows = [
        {"id": "web_search_0", "question": [[]], "involved_classes": ["WebSearchAPI"]},
        {"id": "irrelevance_0", "question": [[{"role": "user", "content": "hi"}]], "function": []},
    ]
    imported = import_bfcl("\n".join(map(json.dumps, rows)), None, name="mixed")
    assert [case.id for case in imported.suite.cases] == ["irrelevance_0"]
    reason = "it needs BFCL's classes (WebSearchAPI), which a suite does not have"
    assert imported.left_out == (f"web_search_0: {reason}",)


def test_a_file_of_answers_in_place_of_questions_is_named():
    answers = (data_folder() / "possible_answer" / "BFCL_v4_parallel.json").read_text(encoding="utf-8")
    with pytest.raises(BadInput, match="it is an answer; give the file of questions"):
        import_bfcl(answers, None, name="parallel")


def test_a_question_without_an_answer_is_reported_with_its_line():
    row = {"id": "x_0", "question": [[{"role": "user", "content": "hi"}]], "function": [{"name": "f"}]}
    with pytest.raises(BadInput, match=r"questions, line 2: question 'x_0' has no possible answer"):
        import_bfcl("\n" + json.dumps(row), None, name="x")


def test_conditions_with_a_list_of_values_become_possible_answers():
    text = """
suite: own
cases:
  - id: a
    prompt: p
    tool_specs: [{type: function, function: {name: f}}]
    expect: [{calls: [{name: f, arguments: {a: {any_of: [1, 2]}}, optional: {b: x}}]}]
  - id: b
    prompt: p
    tool_specs: [{type: function, function: {name: f}}]
    expect: [{calls: [{name: f, arguments: {a: {regex: x}}}]}]
"""
    exported = export_bfcl(parse_suite(text, name="own"))
    assert json.loads(exported.files["possible_answer.json"]) == {
        "id": "a",
        "ground_truth": [{"f": {"a": [1, 2], "b": ["x", ""]}}],
    }
    assert exported.left_out == ("b: BFCL cannot express calls",)
