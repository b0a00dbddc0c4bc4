"""The forms of the Label tab, and its commands."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.services import services_for
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.label.app.labelling import LabellingRole
from workbench.label.page.present.commands import (
    MOST_ROWS,
    parse_command,
    read_changes,
    read_project,
    signed_by,
)
from workbench.label.page.present.tab import NO_QUEUE, _queue_row, show_desk
from workbench.label.page.tab import _apply_all
from workbench.label.records.action import ActionId
from workbench.label.records.project import (
    Member,
    Project,
    Question,
    QueueItem,
    QueueOrder,
    QueuePage,
    QueueSort,
)
from workbench.records.label import LabelTarget
from workbench.records.label_words import ActionKind, ProjectRole, QueueState
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.present.call_form import read_form, show_form, show_values

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)
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
    assert (command.serial, command.first, command.seat.annotator) == (3, None, "ann")
    accept, rest, undo = command.actions
    assert accept.target == LabelTarget(session_id="s", message_id="m", call_index=0)
    assert accept.with_changes(()).kind is ActionKind.LABEL
    assert rest.target is None
    assert undo.with_changes(()).undoes == ActionId("c", 1)
    queue_filter = parse_command('{"first": 1e9, "filter": {"state": "done", "has_fix": "no"}}').filter
    assert (queue_filter.state, queue_filter.has_fix, queue_filter.tag) == (QueueState.DONE, False, None)
    ordered = parse_command(
        '{"first": -5, "step": 7, "filter": {"order": "random", "seed": "x", "tool": " f "}}'
    )
    assert (ordered.first, ordered.step, ordered.filter.tool) == (0, 1, "f")
    assert ordered.sort == QueueSort(order=QueueOrder.RANDOM)
    assert parse_command(json.dumps({"first": 10**30})).first == MOST_ROWS


def test_an_account_signs_everything_whatever_the_page_sends():
    action = {"client": "c", "number": 1, "session": "s", "kind": "submit", "labeller": "cleo"}
    command = parse_command(json.dumps({"labeller": "cleo", "actions": [action]}))
    assert signed_by(command, "") == command
    signed = signed_by(command, "ben")
    assert (signed.seat.annotator, signed.actions[0].role.annotator) == ("ben", "ben")


def test_the_form_of_a_project_is_read_and_shown_again():
    fields = {
        "overlap": "2", "guidelines": "Be *fair*.", "questions": "polite*=Is it polite?|yes|no\n\nwhy=Why?",
        "annotators": "ben, cleo\nben", "reviewers": "dora", "requires_verdicts": True,
    }  # fmt: skip
    project = read_project(fields, Project(name="tone"))
    assert project == Project(
        name="tone", overlap=2, guidelines="Be *fair*.", requires_verdicts=True,
        questions=(
            Question(name="polite", text="Is it polite?", choices=("yes", "no"), is_required=True),
            Question(name="why", text="Why?"),
        ),
        members=(
            Member("ben", ProjectRole.ANNOTATOR), Member("cleo", ProjectRole.ANNOTATOR),
            Member("dora", ProjectRole.REVIEWER),
        ),
    )  # fmt: skip
    seat = LabellingRole(project="tone")
    shown = show_desk(seat, (project,), NO_QUEUE, None).project.form
    assert (
        read_project(shown | {"requires_verdicts": bool(shown["requires_verdicts"])}, Project(name="tone"))
        == project
    )


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"overlap": "two"}, "not a number"),
        ({"overlap": "9" * 99}, "not a number"),
        ({"questions": "polite"}, "has no name"),
    ],
)
def test_an_invalid_form_of_a_project_is_reported(fields, problem):
    with pytest.raises(BadInput, match=problem):
        read_project(fields, Project(name="tone"))


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


def test_a_row_of_the_queue_names_the_imported_row():
    fields = {
        "state": QueueState.PENDING,
        "assignee": "ann",
        "revision": 0,
        "label_count": 0,
        "updated_at": NOON,
    }
    title = "What will the weather be like in Lisbon tomorrow?"
    item = QueueItem(
        session_id="s1", title=title, **fields, row_id="r7", row_number=7, format="openai", file="a.jsonl"
    )
    shown = _queue_row(item, shows_assignee=True)
    assert (shown.title, shown.facts) == (title, ("ann", "#7", "openai", "r7"))
    assert _queue_row(QueueItem(session_id="s2", title="", **fields), shows_assignee=False).facts == ()


@pytest.mark.parametrize(
    ("annotator", "assignees", "shown"),
    [
        ("ann", ("ben", "cleo"), [("ben",), ("cleo",)]),
        ("ann", ("ben", "ben"), [("ben",), ("ben",)]),
        ("ann", ("ann", "ben"), [("ann",), ("ben",)]),
        ("ben", ("ben", "ben"), [(), ()]),
        ("", ("", ""), [(), ()]),
    ],
)
def test_the_queue_names_annotators_unless_all_rows_are_the_annotator_s_own(annotator, assignees, shown):
    items = tuple(
        QueueItem(
            session_id="s1", title="", state=QueueState.PENDING, assignee=name, revision=0, label_count=0,
            updated_at=NOON,
        )
        for name in assignees
    )  # fmt: skip
    queue = replace(NO_QUEUE, page=QueuePage(items=items, total=len(items)))
    view = show_desk(LabellingRole(annotator=annotator, project="p"), (), queue, None)
    assert [row.facts for row in view.rows] == shown


def test_an_action_on_a_session_that_was_deleted_is_refused_without_its_id(tmp_path):
    action = {"client": "c", "number": 1, "session": "9f2c", "kind": "accept-rest"}
    with services_for(tmp_path) as (services, _):
        command = parse_command(json.dumps({"serial": 1, "actions": [action]}))
        (answer,), _ = _apply_all(services, command.actions)
    assert "no such session" in answer.problem
    assert "9f2c" not in answer.problem and "workbench" not in answer.problem
