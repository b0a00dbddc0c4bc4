"""Mock tools answer by rules with conditions, templates and sequences."""

import pytest

from workbench.toolbox.mocks import FROM_RETURNS, NO_RULE, MockRule, MockTool


@pytest.mark.parametrize(
    ("when", "arguments", "matches"),
    [
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": {"regex": "x+"}}, {"a": "xx"}, True),
        ({"a": {"regex": "x+"}}, {"a": "xxy"}, False),
        ({"a": {"regex": "x+"}}, {"a": 5}, False),
        ({"a": {"b": [1]}}, {"a": {"b": [1]}}, True),
        ({"a": [1]}, {"a": [True]}, False),
        ({"a": {"equals": {"regex": "x"}}}, {"a": {"regex": "x"}}, True),
        ({"a": {"subset": {"b": 1}}}, {"a": {"b": 1, "c": 2}}, True),
        ({"a": {"subset": {"b": {"c": [3]}}}}, {"a": {"b": {"c": [1, 3]}}}, True),
        ({"a": {"subset": {"b": 2}}}, {"a": {"b": 1}}, False),
        ({"a": {"schema": {"type": "integer", "minimum": 5}}}, {"a": 7}, True),
        ({"a": {"schema": {"type": "integer", "minimum": 5}}}, {"a": 4}, False),
        ({"$arguments": {"equals": {"a": 1}}}, {"a": 1}, True),
        ({"$arguments": {"equals": {"a": 1}}}, {"a": 1, "b": 2}, False),
        ({"$arguments": {"schema": {"required": ["b"]}}}, {"a": 1}, False),
        ({"a": {"regex": "(x+)+y"}}, {"a": "x" * 1000}, False),
        ({"a": {"regex": "x*.*z"}}, {"a": "x" * 1_000_000}, False),
    ],
)
def test_a_rule_matches_if_all_its_conditions_hold(when, arguments, matches):
    assert MockRule(when=when).matches(arguments) is matches


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ('{"sum": {{ a + b }}}', {"sum": 3}),
        ("plain {{ a }}", "plain 1"),
        ("{{ arguments | tojson }}", {"a": 1, "b": 2, "s": "<é>"}),
        ("{{ s | tojson }}", "<é>"),
    ],
)
def test_the_output_of_a_template_is_json_or_a_text(template, value):
    answer = MockTool(name="f", rules=(MockRule(template=template),))({"a": 1, "b": 2, "s": "<é>"})
    assert answer.value == value
    assert not answer.is_error


@pytest.mark.parametrize(
    "template",
    [
        "{{ a.__class__.__mro__ }}",
        "{{ a.upper }}{{ nothing.at.all }}",
        "{{ 1 / 0 }}",
        "{% for x in range(1000000) %}x{% endfor %}",
        "{{ 'x' * 30000 }}",
        "{{",
    ],
)
def test_a_template_that_is_refused_or_fails_gives_a_json_error(template):
    answer = MockTool(name="f", rules=(MockRule(template=template),))({"a": "1"})
    assert answer.is_error
    assert "mock template of 'f'" in answer.value["error"]


def test_a_sequence_gives_one_answer_per_call_and_repeats_the_last():
    steps = (MockRule(error="busy"), MockRule(result=1), MockRule(template="{{ call_number }}"))
    tool = MockTool(name="f", rules=(MockRule(sequence=steps),))
    answers = [tool({}, call_number=number) for number in (1, 2, 3, 4)]
    assert [(answer.value, answer.is_error) for answer in answers] == [
        ({"error": "busy"}, True),
        (1, False),
        (3, False),
        (4, False),
    ]
    assert {answer.rule for answer in answers} == {"mock rule 1"}


def test_a_mock_waits_for_its_latency():
    waits = []
    rule = MockRule(latency_ms=250, result=1)
    MockTool(name="f", rules=(rule,), wait=waits.append)({})
    assert waits == [0.25]


def test_without_a_matching_rule_a_value_is_generated_from_returns_and_the_seed():
    returns = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "day": {"type": "string", "format": "date"}},
    }
    tool = MockTool(name="f", returns=returns)
    first = tool({"a": 1}, seed=1)
    assert first.rule == FROM_RETURNS
    assert isinstance(first.value["n"], int)
    assert tool({"a": 1}, seed=1) == first
    assert tool({"a": 2}, seed=1) != first
    assert MockTool(name="f")({}).rule == NO_RULE


def test_a_result_that_does_not_match_returns_is_an_error():
    rules = (MockRule(template='{"n": "{{ a }}"}'),)
    returns = {"type": "object", "properties": {"n": {"type": "integer"}}}
    answer = MockTool(name="f", rules=rules, returns=returns)({"a": "x"})
    assert answer.is_error
    assert "mock rule 1 of 'f' gives what `returns` forbids: /n" in answer.value["error"]
