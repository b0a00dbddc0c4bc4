"""Forged events of the Label tab on a server with accounts: nobody labels as another, peeks, decides or assigns."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from tests.label.store.labelling import Talk, new, start_talk
from tests.services import services_for
from workbench.app.services import Services
from workbench.label.page.present.tab import LabelTabView
from workbench.label.page.tab import LabelEvents
from workbench.label.records.project import Member, Project, QueueFilter
from workbench.records.label import Verdict
from workbench.records.label_words import ProjectRole
from workbench.records.owner import Owner, account_key
from workbench.store.store import OwnedStore
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.tab_work import TabWork

SHARED = "ann/round"
MARK = "the comment of cleo"


class Server:
    """A server with accounts, on which Ann shares a project with Ben and Cleo as annotators and Dora as reviewer."""

    def __init__(self, services: Services) -> None:
        names = ("ann", "ben", "cleo", "dora", "eve")
        self.services = replace(
            services, settings=replace(services.settings, accounts=dict.fromkeys(names, "x"))
        )
        self.events = LabelEvents(self.services, TabWork())
        self.ann = self.of("ann")
        self.talk: Talk = start_talk(self.ann)
        members = (
            Member("ben", ProjectRole.ANNOTATOR),
            Member("cleo", ProjectRole.ANNOTATOR),
            Member("dora", ProjectRole.REVIEWER),
        )
        self.ann.label_projects.save_project(Project(name="round", overlap=2, members=members))
        self.ann.label_assignments.assign([self.talk.id], [], project="round")
        label = new(self.talk.target(3), Verdict.BAD_ANSWER, annotator="cleo", project=SHARED, comment=MARK)
        self.of("cleo").labels.save(label)

    def of(self, name: str) -> OwnedStore:
        return self.services.of(Owner(key=account_key(name), name=name)).owned

    def send(self, name: str, **command: Any) -> LabelTabView:
        """Send a command of the page as this account, whatever it claims."""
        fields = {"serial": 1, "project": SHARED, "session": self.talk.id, **command}
        event = gr.EventData(None, {"order": json.dumps(fields)})
        view = self.events.on_order(TabState(), gr.Request(username=name, session_hash=name), event)
        assert isinstance(view, LabelTabView)
        return view

    def label(self, **fields: object) -> list[dict[str, object]]:
        change = {"message": self.talk.messages[3], "call": None, "field": "verdict", "value": "good"}
        action = {"client": "c", "number": 1, "session": self.talk.id, "kind": "label", "project": SHARED}
        return [{**action, "changes": [change], **fields}]

    def stored(self) -> list[tuple[str, bool]]:
        labels = self.ann.labels.list_labels(project="round")
        return [(label.annotator, label.is_deciding) for label in labels]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with services_for(tmp_path, "Hello.") as (services, _):
        yield Server(services)


def test_a_label_is_saved_under_the_name_of_the_account(server: Server) -> None:
    view = server.send("ben", labeller="cleo", actions=server.label(labeller="cleo"))
    assert [answer.problem for answer in view.answers] == [""]
    assert server.stored() == [("cleo", False), ("ben", False)]
    assert view.annotator == "ben"


def test_a_session_without_its_verdicts_cannot_be_submitted(server: Server) -> None:
    project = server.ann.label_projects.find_project("round")
    assert project is not None
    server.ann.label_projects.save_project(replace(project, requires_verdicts=True))
    [answer] = server.send("ben", actions=server.label(kind="submit", is_confirmed=True)).answers
    assert (answer.code, answer.can_confirm) == ("unjudged", False)
    assert (answer.message, answer.call) == (server.talk.messages[1], 0)


def test_nothing_that_an_annotator_sends_shows_another_s_label_before_they_submit(server: Server) -> None:
    commands: list[dict[str, Any]] = [
        {}, {"labeller": "cleo"}, {"is_deciding": True}, {"labeller": "cleo", "is_deciding": True},
        {"session": ""}, {"filter": {"assignee": "cleo"}}, {"filter": {"verdict": "bad-answer"}, "session": ""},
        {"filter": {"order": "agreement"}}, {"known": ["x"], "project": "round"}, {"project": ""},
        {"project": "ann/"}, {"project": "/round"}, {"project": "cleo/round"},
    ]  # fmt: skip
    for command in commands:
        assert MARK not in json.dumps(asdict(server.send("ben", **command)), default=str), command
    submit = server.label(labeller="ben", kind="submit", is_confirmed=True)
    assert [answer.problem for answer in server.send("ben", actions=submit).answers] == [""]
    assert MARK in json.dumps(asdict(server.send("ben")), default=str)


@pytest.mark.parametrize("name", ["ben", "eve"])
def test_an_annotator_and_a_stranger_cannot_decide_manage_or_assign(server: Server, name: str) -> None:
    before = (server.stored(), server.ann.label_projects.find_project("round"))
    view = server.send(name, is_deciding=True, actions=server.label(is_deciding=True))
    assert all(answer.problem for answer in view.answers)
    for manage in (
        {"what": "assign"},
        {"what": "save", "name": SHARED, "annotators": name},
        {"what": "assign", "limit": "x" * 99},
        {"what": ["save"], "name": {"a": 1}},
        {"what": "unassign"},
        {"what": "delete", "name": SHARED},
        {"what": "delete", "name": "round"},
        {"what": "restore", "name": SHARED},
    ):
        server.send(name, manage=manage)
    assert (server.stored(), server.ann.label_projects.find_project("round")) == before
    assert server.of(name).label_projects.find_project("round") is None


def test_a_stranger_gets_nothing_of_a_project(server: Server) -> None:
    for command in ({}, {"project": "round"}, {"project": ""}, {"session": server.talk.id, "project": ""}):
        view = server.send("eve", **command)
        assert (view.conversation, view.rows) == (None, ())
    view = server.send("eve", actions=server.label())
    assert all(answer.problem for answer in view.answers)
    assert server.stored() == [("cleo", False)]


def test_a_reviewer_sees_all_labels_and_decides_but_does_not_assign(server: Server) -> None:
    view = server.send("dora", is_deciding=True, actions=server.label(is_deciding=True))
    assert [answer.problem for answer in view.answers] == [""]
    assert MARK in json.dumps(asdict(view), default=str)
    assert server.stored() == [("cleo", False), ("dora", True)]
    refused = server.send("dora", manage={"what": "assign"})
    assert "only its owner can change assignments" in refused.notice.lines[0].text


def test_the_owner_creates_a_project_for_accounts_only_and_assigns_by_the_filter(server: Server) -> None:
    view = server.send("ann", project="", manage={"what": "save", "name": "two", "annotators": "ben, nobody"})
    assert "there is no account 'nobody'" in view.notice.lines[0].text
    view = server.send("ann", project="", manage={"what": "save", "name": "two", "annotators": "ben"})
    assert (view.project.name, view.done) == ("two", "Project “two” is saved.")
    view = server.send("ann", project="two", manage={"what": "assign", "limit": "1"})
    assert view.done == "1 row assigned to 1 annotator."
    assert server.of("ben").label_queues.queue(QueueFilter(), project="ann/two").total == 1


def test_the_owner_removes_assignments_and_deletes_and_restores_a_project(server: Server) -> None:
    view = server.send("ann", project="round", filter={"assignee": "cleo"}, manage={"what": "unassign"})
    assert view.done == "Nothing to remove: annotators have started all rows that match the filter."
    view = server.send("ann", project="round", filter={"assignee": "ben"}, manage={"what": "unassign"})
    assert view.done == "1 assignment removed."
    assert server.of("ben").label_queues.queue(QueueFilter(), project=SHARED).total == 0
    view = server.send("ann", project="round", manage={"what": "delete", "name": "round"})
    assert (view.project.name, view.project.names, view.project.deleted) == ("", ("",), ("round",))
    assert view.done == "Project “round” is deleted. It can be restored for 30 days."
    assert server.send("cleo").rows == ()
    view = server.send("ann", project="", manage={"what": "restore", "name": "round"})
    assert (view.project.name, view.project.deleted) == ("round", ())
    assert server.stored() == [("cleo", False)]
