"""BFCL's multi-turn questions: all are imported, and our score equals that of BFCL's own checker."""

from random import Random

import pytest

from tests.app.test_conversations import run_cases
from tests.bfcl import data_folder
from tests.services import services_for
from workbench.app.runs.bfcl_conversations import bfcl_question
from workbench.chat.message import ToolCall
from workbench.library.bfcl_classes import check_bfcl_conversation, function_docs
from workbench.suite.exchange.bfcl import import_bfcl

SETS = ("base", "miss_func", "miss_param", "long_context")


def imported(name):
    """Return the suite of a set of questions."""
    folder, file = data_folder(), f"BFCL_v4_multi_turn_{name}.json"
    questions, answers = (folder / file).read_text(), (folder / "possible_answer" / file).read_text()
    return import_bfcl(questions, answers, name=f"multi_turn_{name}", function_docs=function_docs)


@pytest.mark.parametrize("name", SETS)
def test_all_questions_are_imported(name):
    data_folder()
    made = imported(name)
    assert (len(made.suite.cases), made.left_out) == (200, ())


def calls_of(text):
    """Return a call of a ground truth as the text that BFCL's checker takes, and as a call."""
    import ast

    node = ast.parse(text.strip(), mode="eval").body
    names = _parameters(node.func.id)
    arguments = {name: ast.literal_eval(value) for name, value in zip(names, node.args, strict=False)}
    arguments |= {keyword.arg: ast.literal_eval(keyword.value) for keyword in node.keywords}
    return ToolCall(name=node.func.id, arguments=arguments)


def _parameters(name):
    docs = (function for functions in function_docs().values() for function in functions)
    return next(list(function["parameters"]["properties"]) for function in docs if function["name"] == name)


def written(call):
    return f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


def mutated(turns, random):
    """Return the turns with a mistake, or as they are: a call less, more, twice, elsewhere or with another value."""
    turns = [[list(step) for step in turn] for turn in turns]
    kind = random.choice(["none", "drop", "twice", "swap", "value", "empty", "move", "unknown"])
    place = random.randrange(len(turns))
    turn = turns[place]
    if kind == "empty":
        turns[place] = []
    elif kind == "unknown":
        turn.append([ToolCall(name="no_such_tool", arguments={"a": 1})])
    elif turn:
        index = random.randrange(len(turn))
        [call] = turn[index]
        if kind == "drop":
            del turn[index]
        elif kind == "twice":
            turn.insert(index, [call])
        elif kind == "swap":
            turn.reverse()
        elif kind == "move":
            turns[random.randrange(len(turns))].append(turn.pop(index))
        elif kind == "value" and call.arguments:
            name = random.choice(list(call.arguments))
            value = call.arguments[name]
            other = (
                f"{value}x"
                if isinstance(value, str)
                else value + 1
                if isinstance(value, int | float)
                else None
            )
            turn[index] = [ToolCall(name=call.name, arguments={**call.arguments, name: other})]
    return turns


@pytest.mark.parametrize("name", SETS)
def test_our_score_equals_that_of_bfcl(name):
    data_folder()
    function_docs()
    from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils
    from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker

    random, verdicts = Random(7), []
    for number, case in enumerate(imported(name).suite.cases):
        question = bfcl_question(case)
        try:
            turns = [[[calls_of(text)] for text in turn] for turn in question.ground_truth]
        except ValueError:
            continue  # A call whose argument is a call cannot be written as JSON.
        answer = mutated(turns, random) if number % 4 else turns
        entry = {"id": case.id, "initial_config": question.config, "involved_classes": question.classes}
        texts = [[[written(call) for call in step] for step in turn] for turn in answer]
        before = set(vars(multi_turn_utils))
        theirs = multi_turn_checker(texts, question.ground_truth, entry, "", "m")
        for new in set(vars(multi_turn_utils)) - before:
            del vars(multi_turn_utils)[new]
        problem = check_bfcl_conversation(question, answer)
        assert theirs["valid"] == (problem is None), (case.id, theirs, problem)
        verdicts.append(theirs["valid"])
    assert len(verdicts) >= 150
    assert 0.2 < sum(verdicts) / len(verdicts) < 0.9


@pytest.mark.parametrize("name", ["base", "miss_func"])
def test_a_question_is_run_with_the_classes_and_its_right_answer_passes(name, tmp_path):
    [case] = (case for case in imported(name).suite.cases if case.id == f"multi_turn_{name}_0")
    steps = []
    for turn in bfcl_question(case).ground_truth:
        calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in map(calls_of, turn)]
        steps += [*({"calls": [call]} for call in calls), "Done."]
    documents = [
        {**case.document, "solution": steps},
        {**case.document, "id": "wrong", "solution": [*steps[1:], "x"]},
    ]
    with services_for(tmp_path) as (services, _):
        _, results = run_cases(services, *documents)
        assert [result.status for result in results] == ["passed", "failed"], results[0].reason
        assert results[1].turn == 1
