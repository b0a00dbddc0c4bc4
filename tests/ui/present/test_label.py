"""What the Label tab shows, and what it reads."""

import json

import pytest

from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.records.labels.label import LabelContent, Verdict
from workbench.records.labels.project import QueueState
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.present.label.commands import MOST_LISTED, PAGE, LabelAction, read_content, read_order
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


def test_a_form_has_a_field_for_each_parameter_by_its_type():
    fields = [(one.name, one.kind, one.is_required, one.choices) for one in show_form(SPEC)]
    assert fields == [
        ("text", "text", True, ()),
        ("unit", "choice", False, ('"m"', '"ft"')),
        ("is_on", "choice", False, ("true", "false")),
        ("count", "json", False, ()),
        ("any", "json", False, ()),
    ]


def test_values_go_into_the_form_and_come_out_the_same():
    arguments = {"text": "1", "unit": "m", "is_on": False, "count": 3, "any": {"a": [None]}, "more": "x"}
    assert read_form("f", show_values(arguments, SPEC), TOOLS) == ToolCall(name="f", arguments=arguments)


@pytest.mark.parametrize(
    ("name", "texts", "problem"),
    [("g", {}, "no such tool"), ("f", {"count": "three"}, "argument 'count'")],
)
def test_a_form_that_cannot_be_read_is_told(name, texts, problem):
    with pytest.raises(BadInput, match=problem):
        read_form(name, texts, TOOLS)


def test_an_order_is_read_and_what_is_blank_does_not_count():
    order = read_order(
        '{"act": "label", "serial": 3, "session": "s", "message": "m", "call": 0, "filter": {}}'
    )
    assert (order.act, order.serial, order.listed) == (LabelAction.LABEL, 3, PAGE)
    assert (order.target.session_id, order.target.message_id, order.target.call_index) == ("s", "m", 0)
    wanted = read_order('{"act": "show", "listed": 1e9, "filter": {"state": "done", "has_fix": "no"}}').wanted
    assert (wanted.state, wanted.has_fix, wanted.tag) == (QueueState.DONE, False, None)
    assert read_order('{"act": "show", "listed": 999999}').listed == MOST_LISTED


@pytest.mark.parametrize("text", ["", "[]", '{"act": "no"}', '{"act": "show", "filter": {"since": "x"}}'])
def test_what_is_no_order_is_told(text):
    with pytest.raises(BadInput, match="reload the page"):
        read_order(text)


def test_what_a_label_says():
    said = {
        "verdict": "right",
        "rating": 2,
        "tags": [" a ", ""],
        "comment": "c",
        "answers": {"q": "yes", "r": ""},
    }
    assert read_content(said, OfferedTools()) == LabelContent(
        verdict=Verdict.RIGHT, rating=2, tags=("a",), comment="c", answers={"q": "yes"}
    )
    assert read_content({"text": ""}, TOOLS).correction == ""
    assert read_content({"name": "g", "arguments": '{"a": 1}'}, TOOLS).correction == ToolCall(
        name="g", arguments={"a": 1}
    )
    assert read_content({"form": {"name": "f", "texts": {"count": "2"}}}, TOOLS).correction == ToolCall(
        name="f", arguments={"count": 2}
    )
