"""BFCL's sets: read as suites, and scored as BFCL's own checker scores them."""

import copy
import json
import sys
from functools import cache
from types import ModuleType, SimpleNamespace

import pytest

from tests.bfcl import FOLDER, data_folder
from workbench.chat.finding import Span
from workbench.errors import BadInput
from workbench.hermes.reading import CallStatus, Dialect, ReadCall
from workbench.suite.bfcl_score import check_bfcl
from workbench.suite.exchange.bfcl import export_bfcl, import_bfcl
from workbench.suite.read_suite import parse_suite, render_suite

SETS = ("simple_python", "multiple", "parallel", "parallel_multiple")
WRONG_THEMSELVES = {
    "simple_python": ("simple_python_200",),
    "multiple": (),
    "parallel": (),
    "parallel_multiple": ("parallel_multiple_26",),
}
"""Questions whose first possible answer the checker refuses: what they list is of another type than declared."""
MODEL = "stand-in"


@pytest.fixture(scope="module")
def ast_checker():
    """BFCL's checker, of the package, without what the package depends on."""
    data_folder()
    stand_in = ModuleType("bfcl_eval.constants.model_config")
    stand_in.MODEL_CONFIG_MAPPING = {MODEL: SimpleNamespace(underscore_to_dot=False)}
    sys.modules[stand_in.__name__] = stand_in
    sys.path.insert(0, str(FOLDER))
    try:
        from bfcl_eval.constants.enums import Language
        from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker as check
    finally:
        sys.path.remove(str(FOLDER))
    return lambda case, calls: check(
        case.function,
        [{call.name: call.arguments} for call in calls],
        case.ground_truth,
        Language.PYTHON,
        case.category,
        MODEL,
    )["valid"]


@cache
def suite(name):
    folder = data_folder()
    answers = folder / "possible_answer" / f"BFCL_v4_{name}.json"
    questions = (folder / f"BFCL_v4_{name}.json").read_text(encoding="utf-8")
    given = answers.read_text(encoding="utf-8") if answers.exists() else None
    return import_bfcl(questions, given, name=name)


def call(name, arguments):
    return ReadCall(
        name=name,
        arguments=arguments,
        payload="",
        span=Span(0, 0),
        dialect=Dialect.JSON,
        status=CallStatus.READY,
    )


def gold(answer, place=0):
    """The calls of an answer, each argument by its value at `place` of the right ones, or its last."""
    return [
        call(
            name, {key: picked(values, place) for key, values in right.items() if picked(values, place) != ""}
        )
        for one in answer.ground_truth
        for name, right in one.items()
    ]


def picked(values, place):
    value = values[min(place, len(values) - 1)] if values else ""
    return unlisted(value)


def unlisted(value):
    """Objects list the right values of each of their keys."""
    if isinstance(value, dict):
        return {k: unlisted(v[0]) if isinstance(v, list) and v else v for k, v in value.items()}
    if isinstance(value, list):
        return [unlisted(item) for item in value]
    return value


def variants(calls):
    """Calls that differ from the right ones, most of them wrongly."""
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
        yield with_arguments({name: one for name, one in first.arguments.items() if name != key})
        for changed in changes(value):
            yield with_arguments({**first.arguments, key: changed})


def changes(value):
    """Other values: of another type, of another case or sign, nearly the same."""
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
def test_scoring_agrees_with_the_checker(name, ast_checker):
    refused = []
    for case in suite(name).suite.cases:
        answer = case.expectations[0].bfcl
        right = gold(answer)
        tried = [right, gold(answer, 1), *variants(right)]
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


def test_nothing_is_to_be_called_in_the_set_of_irrelevance():
    imported = suite("irrelevance")
    assert len(imported.suite.cases) == 240
    assert {case.expectations[0].kind for case in imported.suite.cases} == {"no_call"}


def test_types_are_made_json_schema_s_and_the_question_s_own_words_are_kept():
    case = suite("simple_python").suite.cases[0]
    assert case.tool_specs[0]["function"]["parameters"]["type"] == "object"
    assert case.expectations[0].bfcl.function[0]["parameters"]["type"] == "dict"
    assert case.messages[0].text.startswith("Find the area of a triangle")


@pytest.mark.parametrize("name", [*SETS, "irrelevance"])
def test_what_is_exported_is_read_as_the_same(name):
    one = suite(name).suite
    exported = export_bfcl(one)
    assert exported.left_out == ()
    again = import_bfcl(
        exported.files["questions.json"], exported.files["possible_answer.json"], name=name
    ).suite
    assert [case.expectations for case in again.cases] == [case.expectations for case in one.cases]
    assert [case.messages for case in again.cases] == [case.messages for case in one.cases]


def test_an_imported_suite_is_a_suite_s_file():
    one = suite("parallel").suite
    again = parse_suite(render_suite(one), name="parallel")
    assert again.cases[:50] == one.cases[:50]


def test_several_turns_and_other_languages_are_left_out_and_told():
    rows = [
        {"id": "multi_turn_0", "question": [[], []], "function": []},
        {"id": "simple_java_1", "question": [[]], "function": []},
    ]
    text = "\n".join(map(json.dumps, rows))
    with pytest.raises(BadInput, match="no question that can be taken"):
        import_bfcl(text, None, name="mixed")


def test_a_question_without_an_answer_is_refused_by_its_line():
    row = {"id": "x_0", "question": [[{"role": "user", "content": "hi"}]], "function": [{"name": "f"}]}
    with pytest.raises(BadInput, match=r"questions, line 2: question 'x_0' has no possible answer"):
        import_bfcl("\n" + json.dumps(row), None, name="x")


def test_conditions_that_can_be_listed_become_possible_answers():
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
    assert exported.left_out == ("b: calls has no word in BFCL",)
