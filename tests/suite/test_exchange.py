"""Import from and export to promptfoo and OpenAI messages."""

import json

import pytest
import yaml

from tests.suite.rollouts import CALL, called, rollout
from workbench.chat.message import Role
from workbench.cli.suites.files import import_file
from workbench.errors import BadInput
from workbench.suite.exchange.openai import export_openai, import_openai
from workbench.suite.exchange.promptfoo import export_promptfoo, import_promptfoo
from workbench.suite.read_suite import parse_suite
from workbench.suite.score import score

TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
CONFIG = """
description: Weather
prompts: ["Weather in {{city}}?"]
providers:
  - id: openai:chat:x
    config: {tools: [{type: function, function: {name: get_weather, parameters: {type: object}}}]}
defaultTest: {assert: [{type: is-valid-openai-tools-call}]}
tests:
  - description: rome
    vars: {city: Rome}
    assert:
      - {type: "trajectory:tool-args-match", value: {name: get_weather, args: {city: "{{city}}"}, mode: exact}, weight: 2}
      - {type: javascript, value: "output.length > 3"}
  - vars: {city: Oslo}
    assert: [{type: not-icontains, value: sorry}]
"""

ASSERTIONS = [
    ({"type": "contains", "value": "Rome"}, "In Rome.", "in rome."),
    ({"type": "icontains", "value": "ROME"}, "In Rome.", "In Oslo."),
    ({"type": "contains-all", "value": ["a", "b"]}, "ab", "a"),
    ({"type": "contains-any", "value": "a, b"}, "b", "c"),
    ({"type": "not-contains", "value": "x"}, "y", "x"),
    ({"type": "equals", "value": "21."}, "21.", "21.0"),
    ({"type": "starts-with", "value": "In"}, "In Rome", "At Rome. In"),
    ({"type": "regex", "value": r"\d+"}, "21", "none"),
    ({"type": "is-json", "value": {"required": ["a"]}}, '{"a": 1}', "{}"),
    ({"type": "tool-call-f1", "value": ["get_weather"]}, CALL, "no"),
    ({"type": "trajectory:tool-used", "value": "get_weather"}, CALL, "no"),
    ({"type": "trajectory:tool-used", "value": {"name": "get_weather", "max": 1}}, CALL, CALL + called("get_weather", city="Oslo")),
    ({"type": "trajectory:tool-sequence", "value": {"steps": ["get_weather"], "mode": "exact"}}, CALL, CALL + called("send_note", to="a")),
    ({"type": "is-valid-openai-tools-call"}, CALL, called("get_weather")),
]  # fmt: skip


@pytest.mark.parametrize(("assertion", "good", "bad"), ASSERTIONS, ids=lambda value: str(value)[:50])
def test_an_imported_assertion_passes_good_completions_and_fails_bad_ones(assertion, good, bad):
    text = json.dumps({"tests": [{"vars": {"prompt": "Go on."}, "assert": [assertion]}]})
    [case] = import_promptfoo(text, name="p").suite.cases
    assert score(case, rollout(good)).is_passed
    assert not score(case, rollout(bad)).is_passed


def test_a_configuration_is_imported_with_its_variables_and_skipped_assertions_are_reported():
    imported = import_promptfoo(CONFIG, name="p")
    rome, oslo = imported.suite.cases
    assert (rome.id, rome.messages[0].text, oslo.id) == ("rome", "Weather in Rome?", "test-2")
    assert rome.tool_specs == (TOOL,)
    kinds = [(expectation.kind, expectation.weight) for expectation in rome.expectations]
    assert kinds == [("all_of", 1), ("calls", 2)]
    assert rome.expectations[1].calls[0].arguments == {"city": "Rome"}
    assert imported.left_out == ("rome: assertion 'javascript' is not supported",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a", "no list of tests"),
        ("tests: [", "not YAML"),
        ("prompts: [file://a.txt]\ntests: [{assert: [{type: contains, value: a}]}]", "file 'a.txt'"),
    ],
)
def test_an_invalid_configuration_is_reported(text, message):
    with pytest.raises(BadInput, match=message):
        import_promptfoo(text, name="p")


OWN = """
suite: own
cases:
  - id: a
    prompt: Weather in Rome?
    tool_specs: [{type: function, function: {name: get_weather, parameters: {type: object}}}]
    expect:
      - calls: [{name: get_weather, arguments: {city: Rome}}]
        weight: 2
      - text_contains: Rome
      - not: {text_matches: sorry}
      - seconds_at_most: 3
      - asks: true
  - id: b
    messages: [{role: user, content: a}, {role: assistant, content: b}, {role: user, content: c}]
    expect: [{no_call: true}]
"""


def test_a_suite_is_exported_to_promptfoo_and_the_rest_is_reported():
    exported = export_promptfoo(parse_suite(OWN, name="own"))
    config = yaml.safe_load(exported.files["promptfooconfig.yaml"])
    [test] = config["tests"]
    assert [assertion["type"] for assertion in test["assert"]] == [
        "tool-call-f1",
        "trajectory:tool-args-match",
        "icontains",
        "not-regex",
        "latency",
    ]
    assert exported.left_out == (
        "a: promptfoo has no assertion for asks",
        "b: has earlier messages, but a prompt is one text",
    )
    again = import_promptfoo(exported.files["promptfooconfig.yaml"], name="own").suite
    assert again.cases[0].messages == parse_suite(OWN, name="own").cases[0].messages


def test_openai_messages_are_imported_up_to_the_expected_calls():
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}}]},
        {"role": "tool", "tool_call_id": "1", "content": "21"},
        {"role": "user", "content": "And in Oslo?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "2", "function": {"name": "f", "arguments": '{"a": 2}'}}]},
        {"role": "tool", "tool_call_id": "2", "content": "4"},
        {"role": "assistant", "content": "4 degrees."},
    ]  # fmt: skip
    [case] = import_openai(json.dumps({"messages": messages, "tools": [TOOL]}), name="o").suite.cases
    assert (case.system, case.id, case.tool_specs) == ("Be brief.", "row-1", (TOOL,))
    assert [message.role for message in case.messages] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER]
    assert (case.messages[1].calls[0].arguments, case.messages[2].name) == ({"a": 1}, "f")
    assert case.expectations[0].calls[0].arguments == {"a": 2}


def test_expected_calls_are_exported_and_imported_unchanged():
    suite = parse_suite(OWN, name="own")
    exported = export_openai(suite)
    assert exported.left_out == tuple(
        f"a: a message cannot express {kind}" for kind in ("text_contains", "not", "seconds_at_most", "asks")
    )
    again = import_openai(exported.files["messages.jsonl"], name="own").suite
    assert [case.messages for case in again.cases] == [case.messages for case in suite.cases]
    assert again.cases[0].expectations[0].calls == suite.cases[0].expectations[0].calls
    assert again.cases[1].expectations[0].no_call


def test_an_invalid_row_is_reported_with_its_line():
    with pytest.raises(BadInput, match="rows, line 2: no list of messages"):
        import_openai('\n{"a": 1}', name="o")


def promptfoo(**config):
    return json.dumps({"prompts": ["Say {{w}}."], "providers": ["openai:gpt-4o"], **config})


CONTAINS = [{"type": "contains", "value": "{{w}}"}]


def test_scenarios_and_defaults_become_cases():
    config = promptfoo(
        defaultTest={"assert": [{"type": "icontains", "value": "say"}], "vars": {"w": "d"}},
        tests=[{"assert": CONTAINS}],
        scenarios=[{"config": [{"vars": {"w": "q"}}, {"vars": {"w": "r"}}], "tests": [{"assert": CONTAINS}]}],
    )
    imported = import_promptfoo(config, name="p")
    assert [case.messages[-1].text for case in imported.suite.cases] == ["Say d.", "Say q.", "Say r."]
    assert {len(case.expectations) for case in imported.suite.cases} == {2}
    assert len({case.id for case in imported.suite.cases}) == 3 and imported.left_out == ()


def test_files_are_read_within_the_folder(tmp_path):
    (tmp_path / "w.txt").write_text("hello\n")
    (tmp_path / "v.yaml").write_text("a: [1]\n")
    names = [
        "file://w.txt",
        "file://v.yaml",
        "file://../w.txt",
        "file:///etc/passwd",
        "file://w.py",
        "file://*.txt",
    ]
    tests = [{"vars": {"w": name}, "assert": [{"type": "contains", "value": "x"}]} for name in names]
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(yaml.safe_dump(json.loads(promptfoo(tests=tests))))
    imported = import_file(path)
    assert [case.messages[-1].text for case in imported.suite.cases] == ["Say hello.", 'Say {"a": [1]}.']
    assert [
        name.removeprefix("file://") in line for name, line in zip(names[2:], imported.left_out, strict=True)
    ]
    assert len(imported.left_out) == 4


def test_what_runs_code_is_reported():
    tests = [
        {"vars": {"w": "a"}, "assert": CONTAINS, "options": {"transform": "output.trim()"}},
        {
            "vars": {"w": "b"},
            "assert": [*CONTAINS, {"type": "contains", "value": "x", "transform": "output[0]"}],
        },
        {"vars": {"w": ["c", "d"]}, "assert": CONTAINS, "options": {"disableVarExpansion": True}},
    ]
    imported = import_promptfoo(promptfoo(tests=tests), name="p")
    assert [case.messages[-1].text for case in imported.suite.cases] == ["Say b.", 'Say ["c", "d"].']
    assert [line.partition(":")[0] for line in imported.left_out] == ["test-1", "test-2"]
    assert all("transform" in line for line in imported.left_out)
