"""Suites from elsewhere: small files that would become gigabytes, code in names, and BFCL's classes that act."""

import ast
import resource
import time
import tomllib

import pytest
import yaml

from tests.bfcl import data_folder
from workbench.app.runs.bfcl_conversations import bfcl_toolbox
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.library.bfcl_classes import CLASSES, BfclWorld, check_bfcl_conversation
from workbench.suite.case import Suite
from workbench.suite.exchange.any_suite import import_suite
from workbench.suite.exchange.environments import TARGETS, export_environment
from workbench.suite.expectation import BfclConversation
from workbench.suite.read_suite import check_suite
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.toolspec.tools_text import parse_tools

MOST_S = 10.0
"""Ten thousand cases, the most of an import, and fifty thousand rows take 1 to 5 s of a core, which is slower or faster by
the minute. What is not limited takes minutes."""
MOST_BYTES = 200_000_000
CHECK = {"assert": [{"type": "contains", "value": "x"}]}


def promptfoo(**fields):
    """Return a configuration without aliases, as a file from elsewhere would have it."""
    dumper = type("_Dumper", (yaml.SafeDumper,), {"ignore_aliases": lambda *_: True})
    return yaml.dump({"prompts": ["{{a}}"], **fields}, Dumper=dumper)


def templates(prompt, rows, *, case_id="c {{ a }}"):
    """Return a suite with a case for each row of a column `a`."""
    lines = "".join(f"    {row}\n" for row in ("a", *rows))
    case = f'- id: "{case_id}"\n  prompt: "{prompt}"\n  expect: [{{no_call: true}}]\n  rows: |\n{lines}'
    return f"suite: x\ncases:\n{case}"


# Each text is made by the test that needs it: together they take seconds, which each collection would.
CONFIGURATIONS = {
    "combinations": lambda: promptfoo(tests=[{"vars": {f"v{n}": list(range(10)) for n in range(20)}, **CHECK}]),
    "a million combinations": lambda: promptfoo(tests=[{"vars": {f"v{n}": list(range(10)) for n in range(6)}, **CHECK}]),
    "scenarios": lambda: promptfoo(
        scenarios=[{"config": [{"vars": {"b": 1}}] * 1000, "tests": [{"vars": {"a": "x"}, **CHECK}] * 1000}]
    ),
    "scenarios that are skipped": lambda: promptfoo(
        scenarios=[{"config": [{"b": 1}] * 1000, "tests": [{"options": {"transform": "x"}}] * 1000}]
    ),
    "prompts": lambda: promptfoo(prompts=["{{a}}"] * 1000, tests=[{"vars": {"a": "x"}, **CHECK}] * 1000),
    "a prompt of values": lambda: promptfoo(prompts=["{{a}}" * 40_000], tests=[{"vars": {"a": "y" * 200_000}, **CHECK}]),
    "an assertion of values": lambda: promptfoo(
        tests=[{"vars": {"a": "y" * 200_000}, "assert": [{"type": "icontains", "value": "{{a}}" * 40_000}]}]
    ),
    "a prompt of JSON": lambda: promptfoo(prompts=["{{a}}" * 40_000], tests=[{"vars": {"a": {"b": "y" * 200_000}}, **CHECK}]),
}  # fmt: skip
SUITES = {
    "long texts": lambda: templates("y" * 400_000 + " {{ a }}", range(50_000)),
    "long cells": lambda: templates("{{ a }}" * 50_000, ["z" * 400_000]),
    "long ids": lambda: templates("hi", ["z" * 400_000], case_id="{{ a }}" * 50_000),
    "cells of JSON": lambda: templates(
        "hi", ["'" + "[" + "1;" * 100_000 + "1]'"] * 3, case_id="{{ a | json }}"
    ),
    "many rows": lambda: templates("hi {{ a }}", range(50_000)),
}


def cost(work):
    """Return how long something takes, in seconds of this thread, and how many bytes the process has grown."""
    before, started_s = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.thread_time()
    with budget(REQUEST_STEPS):
        try:
            work()
        except BadInput as error:
            assert len(str(error)) < 400
    return time.thread_time() - started_s, (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    ) * 1024


@pytest.mark.parametrize("make", CONFIGURATIONS.values(), ids=list(CONFIGURATIONS))
@pytest.mark.slow
def test_a_configuration_of_promptfoo_becomes_neither_hours_nor_gigabytes(make):
    text = make()
    seconds, grown = cost(lambda: import_suite(text, name="x", is_yaml=True))
    assert seconds < MOST_S and grown < MOST_BYTES


@pytest.mark.parametrize("make", SUITES.values(), ids=list(SUITES))
@pytest.mark.slow
def test_the_rows_of_a_template_become_neither_hours_nor_gigabytes(make):
    text = make()
    seconds, grown = cost(lambda: check_suite(text, name="x"))
    assert seconds < MOST_S and grown < MOST_BYTES


NAMES = (
    'x"""\nimport os; os.system("true")\n"""', 'x"""+f()+"""', "x\\", 'x"\nnew = "y', "x'''", "x\\N{BULLET}", "{suite}",
    "x}{", "größe", "x\u0000", "x\ny",
)  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_suite_is_no_code_in_an_exported_environment(name, target):
    made, plain = (
        export_environment(
            Suite(name=suite, cases=()),
            target,
            prompt_of=lambda _: [],
            tools_of=lambda _: parse_tools("[]"),
            toolsets_of=lambda _: {},
            family="hermes-3",
            shape={},
            most_rounds=1,
        )
        for suite in (name, "plain")
    )
    for (path, text), expected in zip(made.files.items(), plain.files.values(), strict=True):
        assert ".." not in path and not path.startswith("/")
        if path.endswith(".py"):
            nodes = [type(node) for node in ast.walk(ast.parse(text))]
            assert nodes == [type(node) for node in ast.walk(ast.parse(expected))]
        if path.endswith(".toml"):
            own, other = tomllib.loads(text), tomllib.loads(expected)
            assert own.keys() == other.keys() and own["project"].keys() == other["project"].keys()
            assert name in own["project"]["description"]


def question(*classes, calls=()):
    return BfclConversation(classes=list(classes), config={}, ground_truth=[list(calls)])


@pytest.mark.parametrize(
    "name",
    ["WebSearchAPI", "MemoryAPI_kv", "MemoryAPI_vector", "MemoryAPI_rec_sum", "os", "subprocess", "__init__"],
)
def test_a_suite_gets_no_class_of_bfcl_that_opens_addresses_or_writes_files(name):
    data_folder()
    with pytest.raises(BadInput, match="have no class"):
        BfclWorld(question(name))
    with pytest.raises(BadInput, match="have no class"):
        check_bfcl_conversation(question("MathAPI", name, calls=["add(1, 2)"]), [[[]]])


def test_a_space_runs_no_class_of_bfcl():
    with pytest.raises(BadInput, match="only runs mocks"):
        bfcl_toolbox(question(*CLASSES), is_space=True)


BOMBS = [
    ("power", {"base": 9, "exponent": 9**12}),
    ("power", {"base": 10**4000, "exponent": 9000}),
    ("logarithm", {"value": 2.0, "base": 10, "precision": 10**9}),
    ("square_root", {"number": 2, "precision": 10**9}),
    ("multiply", {"a": "x", "b": 10**10}),
    ("multiply", {"a": [0], "b": 10**10}),
]


@pytest.mark.parametrize(("name", "arguments"), BOMBS, ids=range(len(BOMBS)))
def test_a_call_of_a_model_or_of_a_suite_does_not_compute_for_hours(name, arguments):
    data_folder()
    world = BfclWorld(question("MathAPI"))
    values = ", ".join(map(repr, arguments.values()))
    for seconds, _ in (
        cost(lambda: world.call(ToolCall(name=name, arguments=arguments))),
        cost(lambda: world.call_text(f"{name}({values})")),
    ):
        assert seconds < MOST_S


def test_usual_calls_have_their_results():
    data_folder()
    world = BfclWorld(question("MathAPI"))
    assert world.call_text("power(2, 10)") == '{"result": 1024}'
    assert "1.4142" in world.call_text("square_root(2, 5)")
    assert "3.32" in world.call_text("logarithm(10, 2, 5)")
    assert world.call_text("multiply(3, 4.5)") == '{"result": 13.5}'


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('true')", "self.add(1, 2)", "add.__globals__", "add(*[1, 2])", "add(**{'a': 1, 'b': 2})",
     "(lambda: 1)()", "_load_scenario({})", "add(a=add.__self__, b=1)", "[add(1, 2)]", "exec('1')", "run('x')"],
)  # fmt: skip
def test_a_ground_truth_is_no_code(text):
    data_folder()
    assert BfclWorld(question("MathAPI")).call_text(text).startswith("Error during execution")
