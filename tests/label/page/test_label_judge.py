"""The page lets a model label the rows of a project as one more annotator."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from tests.label.store.labelling import start_talk
from tests.services import services_for
from workbench.label.page.present.tab import LabelTabView
from workbench.label.page.tab import LabelEvents
from workbench.label.records.project import Member, Project
from workbench.records.label_words import ProjectRole
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.tab_work import TabWork

pytestmark = pytest.mark.slow
TAB = "t"


def verdict(word: str) -> str:
    return json.dumps({"reason": "Because.", "verdict": word})


class Office:
    """A project with one assigned session, whose model judges."""

    def __init__(self, services: Any, folder: Path) -> None:
        self.services, self.work = services, TabWork()
        self.model = f"scripted:{folder / 'script.yaml'}"
        self.events = LabelEvents(services, self.work)
        self.talk = start_talk(services.owned)
        services.label_projects.save_project(
            Project(name="round", members=(Member("ben", ProjectRole.ANNOTATOR),))
        )
        services.label_assignments.assign([self.talk.id], [], project="round")

    def judge(self, model: str, project: str = "round") -> Iterator[LabelTabView | Any]:
        fields = {"serial": 7, "project": project, "manage": {"what": "judge", "model": model}}
        event = gr.EventData(None, {"order": json.dumps(fields)})
        return self.events.on_judge(TabState(), gr.Request(session_hash=TAB), event, None)

    def stored(self) -> list[tuple[str, bool]]:
        labels = self.services.labels.list_labels(project="round")
        return [(label.content.verdict.value, label.is_model) for label in labels]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with services_for(tmp_path, *[verdict(word) for word in ("right", "good", "good", "good")]) as (
        services,
        _,
    ):
        yield Office(services, tmp_path)


def test_the_model_s_labels_are_stored_as_a_model_s_and_shown(office: Office) -> None:
    *steps, last = office.judge(office.model)
    assert steps == [SAME] and isinstance(last, LabelTabView)
    stored = office.stored()
    assert stored and all(is_model for _, is_model in stored)
    assert last.serial == 7 and f"(model): {len(stored)} label" in last.done and not last.notice.lines
    *_, again = office.judge(office.model)
    assert "0 labels in 1 row" in again.done and office.stored() == stored
    assert not office.work.is_running(TAB)


@pytest.mark.parametrize(
    ("model", "project", "problem"),
    [("no-such-model", "round", "no-such-model"), ("", "round", ""), ("scripted", "", "named project")],
)
def test_a_model_or_project_that_cannot_be_used_is_named(
    office: Office, model: str, project: str, problem: str
) -> None:
    *_, last = office.judge(office.model if model == "scripted" else model, project)
    assert not last.done and problem in " ".join(line.text for line in last.notice.lines)
    assert last.notice.lines and office.stored() == [] and not office.work.is_running(TAB)


def test_a_tab_that_is_busy_does_not_start_a_second_one_and_a_stopped_one_asks_nothing(
    office: Office,
) -> None:
    running = office.judge(office.model)
    office.work.begin(TAB)
    [refused] = running
    assert "busy" in " ".join(line.text for line in refused.notice.lines)
    office.work.end(TAB)
    office.events.services.label_assignments.assign(
        [start_talk(office.services.owned).id], [], project="round"
    )
    judging = office.judge(office.model)
    assert next(judging) is SAME
    first = office.stored()
    office.events.on_stop(gr.Request(session_hash=TAB))
    [last] = judging
    assert "in 1 row," in last.done and office.stored() == first
