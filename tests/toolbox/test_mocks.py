"""Mock rules: conditions and templates."""

import json

import pytest

from workbench.chat.message import ToolCall
from workbench.toolbox.mocks import MockRule


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
    ],
)
def test_a_rule_matches_when_every_condition_holds(when, arguments, matches):
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
def test_a_template_gives_json_or_else_its_text(template, value):
    result = MockRule(template=template).answer(ToolCall(name="f", arguments={"a": 1, "b": 2, "s": "<é>"}))
    assert json.loads(result.text) == value
    assert not result.is_error


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
def test_a_template_that_reaches_out_or_fails_gives_a_json_error(template):
    result = MockRule(template=template).answer(ToolCall(name="f", arguments={"a": "1"}))
    assert result.is_error
    assert "error" in json.loads(result.text)
