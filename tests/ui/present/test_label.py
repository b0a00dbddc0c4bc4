"""The forms of the Label tab, and its commands."""

import json

import pytest

from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.records.labels.action import ActionId, ActionKind
from workbench.records.labels.label import LabelTarget
from workbench.records.labels.project import QueueState
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.present.label.commands import MOST_LISTED, PAGE, parse_command, read_changes
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
        json.dumps(
            {
                "serial": 3,
                "session": "s",
                "labeller": " ann ",
                "filter": {},
                "known": ["s"],
                "actions": [
                    {"client": "c", "number": 1, "session": "s", "kind": "accept", "message": "m", "call": 0},
                    {"client": "c", "number": 2, "session": "s", "kind": "accept-rest"},
                    {"client": "c", "number": 3, "kind": "undo", "undoes": {"client": "c", "number": 1}},
                ],
            }
        )
    )
    assert (command.serial, command.listed, command.seat.labeller) == (3, PAGE, "ann")
    accept, rest, undo = command.actions
    assert accept.target == LabelTarget(session_id="s", message_id="m", call_index=0)
    assert accept.with_changes(()).kind is ActionKind.LABEL
    assert rest.target is None
    assert undo.with_changes(()).undoes == ActionId("c", 1)
    queue_filter = parse_command('{"listed": 1e9, "filter": {"state": "done", "has_fix": "no"}}').filter
    assert (queue_filter.state, queue_filter.has_fix, queue_filter.tag) == (QueueState.DONE, False, None)
    assert parse_command('{"listed": 999999}').listed == MOST_LISTED


@pytest.mark.parametrize("text", ["", '{"actions": [{"kind": "no"}]}', '{"filter": {"since": "x"}}'])
def test_an_invalid_command_is_reported(text):
    with pytest.raises(BadInput, match="reload the page"):
        parse_command(text)


def read_one(value: object) -> object:
    change = {"message": "m", "call": 0, "field": "correction", "value": value}
    action = {"client": "c", "number": 1, "session": "s", "kind": "label", "changes": [change]}
    [action] = parse_command(json.dumps({"actions": [action]})).actions
    return read_changes(action, TOOLS)[0].value


def test_the_changes_of_an_action_are_read():
    assert read_one({"text": "x", "draft": "x"}) == {"text": "x"}
    assert read_one({"form": {"name": "f", "texts": {"count": "2"}}}) == {
        "name": "f",
        "arguments": {"count": 2},
    }
    assert read_one(None) is None
    with pytest.raises(BadInput, match="neither a text nor a call"):
        read_one({"name": 1})
