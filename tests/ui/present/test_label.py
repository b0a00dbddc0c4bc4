"""The forms of the Label tab, and its commands."""

import json

import pytest

from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.records.labels.label import LabelContent, Verdict
from workbench.records.labels.project import QueueState
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.present.label.commands import MOST_LISTED, PAGE, LabelAction, parse_command, parse_content
from workbench.ui.present.label.form import read_form, show_form, show_values

TOOLS = parse_tools(
    json.dumps(
        [
            {
                "name": "f",
                "description": "d",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string", "description": "T."},
                        "unit": {"type": "string", "enum": ["m", "ft"]},
                        "is_on": {"type": "boolean"},
                        "count": {"type": "integer"},
                        "any": {},
                    },
                    "required": ["text"],
                },
            }
        ]
    )
)
SPEC = TOOLS.specs[0]


def test_a_form_has_a_field_for_each_parameter_by_type():
    fields = [(field.name, field.kind, field.is_required, field.choices) for field in show_form(SPEC)]
    assert fields == [
        ("text", "text", True, ()),
        ("unit", "choice", False, ('"m"', '"ft"')),
        ("is_on", "choice", False, ("true", "false")),
        ("count", "json", False, ()),
        ("any", "json", False, ()),
    ]


def test_arguments_survive_the_form():
    arguments = {"text": "1", "unit": "m", "is_on": False, "count": 3, "any": {"a": [None]}, "more": "x"}
    assert read_form("f", show_values(arguments, SPEC), TOOLS) == ToolCall(name="f", arguments=arguments)


@pytest.mark.parametrize(
    ("name", "texts", "problem"),
    [("g", {}, "not offered"), ("f", {"count": "three"}, "argument 'count'")],
)
def test_an_invalid_form_is_reported(name, texts, problem):
    with pytest.raises(BadInput, match=problem):
        read_form(name, texts, TOOLS)


def test_a_command_is_parsed_and_blank_fields_are_ignored():
    command = parse_command(
        '{"act": "label", "serial": 3, "session": "s", "message": "m", "call": 0, "filter": {}}'
    )
    assert (command.act, command.serial, command.listed) == (LabelAction.LABEL, 3, PAGE)
    assert (command.target.session_id, command.target.message_id, command.target.call_index) == ("s", "m", 0)
    queue_filter = parse_command(
        '{"act": "show", "listed": 1e9, "filter": {"state": "done", "has_fix": "no"}}'
    ).filter
    assert (queue_filter.state, queue_filter.has_fix, queue_filter.tag) == (QueueState.DONE, False, None)
    assert parse_command('{"act": "show", "listed": 999999}').listed == MOST_LISTED


@pytest.mark.parametrize("text", ["", "[]", '{"act": "no"}', '{"act": "show", "filter": {"since": "x"}}'])
def test_an_invalid_command_is_reported(text):
    with pytest.raises(BadInput, match="reload the page"):
        parse_command(text)


def test_the_content_of_a_label_is_parsed():
    label = {
        "verdict": "right",
        "rating": 2,
        "tags": [" a ", ""],
        "comment": "c",
        "answers": {"q": "yes", "r": ""},
    }
    assert parse_content(label, OfferedTools()) == LabelContent(
        verdict=Verdict.RIGHT, rating=2, tags=("a",), comment="c", answers={"q": "yes"}
    )
    assert parse_content({"text": ""}, TOOLS).correction == ""
    assert parse_content({"name": "g", "arguments": '{"a": 1}'}, TOOLS).correction == ToolCall(
        name="g", arguments={"a": 1}
    )
    assert parse_content({"form": {"name": "f", "texts": {"count": "2"}}}, TOOLS).correction == ToolCall(
        name="f", arguments={"count": 2}
    )
