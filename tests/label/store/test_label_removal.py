"""Remove assignments, and delete, restore and purge labelling projects."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import pytest

from tests.label.store.labelling import Clock, new, start_talk
from tests.label.store.teams import PROJECT, SHARED, Team
from workbench.errors import BadInput, StoreError
from workbench.label.records.project import Assignment, Project, QueueFilter
from workbench.records.corpus.material import SessionFilter
from workbench.records.label import Verdict
from workbench.records.label_words import QueueState
from workbench.records.session_tree import SearchFilter
from workbench.store.store import Store


@pytest.fixture
def team(migrated_url: str) -> Iterator[Team]:
    with closing(Store(migrated_url, now=Clock())) as store:
        yield Team(store)


def tasks_of(team: Team) -> list[tuple[str, str]]:
    items = team.ann.label_queues.queue(QueueFilter(), project="round-1").items
    return [(item.session_id, item.assignee) for item in items]


def test_assignments_that_match_a_filter_are_removed_unless_they_are_started(team: Team) -> None:
    talks = [team.talk, start_talk(team.ann), start_talk(team.ann)]
    team.ann.label_assignments.assign([talk.id for talk in talks], [], project="round-1")
    team.judge("ben", Verdict.GOOD, is_done=False)
    removed = team.ann.label_assignments.unassign(QueueFilter(assignee="ben"), project="round-1", who="ann")
    assert removed == tuple(Assignment(talk.id, "ben") for talk in talks[1:])
    assert ("ben" in {name for _, name in tasks_of(team)}, len(tasks_of(team))) == (True, 4)
    assert team.ben.label_queues.queue(QueueFilter(), project=SHARED).total == 1
    with pytest.raises(StoreError, match="no such session"):
        team.ben.labels.save(new(talks[1].target(3), Verdict.GOOD, annotator="ben", project=SHARED))
    notes = team.ann.audit.entries(action="task.unassign")
    assert [(note.subject, note.who, note.detail["of"]) for note in notes] == [
        (f"session:{talk.id}", "ann", "ben") for talk in reversed(talks[1:])
    ]
    [only] = team.ann.label_assignments.unassign(QueueFilter(), project="round-1", session_ids=[talks[1].id])
    assert only == Assignment(talks[1].id, "cleo")


def test_removing_started_assignments_keeps_their_labels_and_updates_the_review(team: Team) -> None:
    team.judge("ben", Verdict.GOOD)
    team.judge("cleo", Verdict.BAD_ANSWER)
    assert team.ann.label_queues.progress(project="round-1").disagreed == 1
    assert team.ann.label_assignments.unassign(QueueFilter(), project="round-1") == ()
    everything = QueueFilter()
    assert len(team.ann.label_assignments.unassign(everything, project="round-1", includes_started=True)) == 2
    assert team.ann.label_queues.progress(project="round-1").compared == 0
    assert len(team.ann.labels.list_labels(project="round-1")) == 2
    team.ann.label_assignments.assign([team.talk.id], [], project="round-1")
    assert team.seen_by("ben") == [("ben", Verdict.GOOD)]


def test_a_deleted_project_counts_nowhere_until_it_is_restored(team: Team) -> None:
    label = new(
        team.talk.target(3), Verdict.GOOD, annotator="ben", project=SHARED, tags=("deep",), answers={}
    )
    team.ben.labels.save(label)
    team.submit("ben")
    before = team.ann.labels.list_labels(), tasks_of(team), team.ann.label_projects.find_project("round-1")
    tagged = SearchFilter(tag="deep", verdict="good")
    judged = SessionFilter(verdict="good")
    assert team.ann.corpus.count(judged) == 1
    assert len(team.ann.search.find("deep")) == len(team.ann.search.find("", tagged)) == 1
    team.ann.label_projects.delete_project("round-1", who="ann")
    assert team.ann.labels.list_labels() == ()
    assert team.ann.corpus.count(judged) == 0
    assert list(team.ann.search.find("deep")) == list(team.ann.search.find("", tagged)) == []
    for member in (team.ann, team.ben, team.dora):
        assert [project.name for project in member.label_projects.list_projects()] == [""]
    for name in ("round-1", SHARED):
        with pytest.raises(StoreError, match="no labelling project"):
            (team.ann if name == "round-1" else team.ben).label_queues.queue(QueueFilter(), project=name)
    with pytest.raises(BadInput, match="a deleted project has this name"):
        team.ann.label_projects.save_project(PROJECT)
    assert [project.name for project in team.ann.label_projects.deleted_projects()] == ["round-1"]
    team.ann.label_projects.restore_project("round-1", who="ann")
    assert before == (
        team.ann.labels.list_labels(), tasks_of(team), team.ann.label_projects.find_project("round-1")
    )  # fmt: skip
    assert len(team.ann.search.find("deep")) == len(team.ann.search.find("", tagged)) == 1
    assert team.ben.label_queues.queue(QueueFilter(), project=SHARED).items[0].state is QueueState.DONE
    notes = team.ann.audit.entries(subject="project:round-1")
    assert [(note.action, note.who) for note in notes][:2] == [
        ("project.restore", "ann"),
        ("project.delete", "ann"),
    ]


@pytest.mark.parametrize("who", ["ben", "dora", "eve"])
def test_only_the_owner_deletes_restores_and_removes_assignments(team: Team, who: str) -> None:
    other = team.of(who)
    for name in (SHARED, "round-1"):
        with pytest.raises((BadInput, StoreError)):
            other.label_projects.delete_project(name)
        with pytest.raises((BadInput, StoreError)):
            other.label_assignments.unassign(QueueFilter(), project=name, includes_started=True)
    assert len(tasks_of(team)) == 2
    team.ann.label_projects.delete_project("round-1")
    for name in (SHARED, "round-1"):
        with pytest.raises(StoreError, match="no deleted labelling project"):
            other.label_projects.restore_project(name)
    assert other.label_projects.deleted_projects() == ()


def test_the_project_of_all_sessions_cannot_be_deleted(team: Team) -> None:
    with pytest.raises(BadInput, match="cannot be deleted"):
        team.ann.label_projects.delete_project("")
    with pytest.raises(BadInput, match="no project is chosen"):
        team.ann.label_assignments.unassign(QueueFilter(), project="")
    with pytest.raises(StoreError, match="no labelling project 'two'"):
        team.ann.label_projects.delete_project("two")


def test_a_deleted_project_is_purged_after_30_days_and_its_name_is_free(migrated_url: str) -> None:
    clock = Clock()
    with closing(Store(migrated_url, now=clock)) as store:
        team = Team(store)
        team.judge("ben", Verdict.GOOD)
        team.ann.label_projects.delete_project("round-1")
        store.purge()
        assert len(team.ann.label_projects.deleted_projects()) == 1
        clock.moment += timedelta(days=31)
        store.purge()
        ann = team.ann
        assert ann.label_projects.deleted_projects() == ()
        ann.label_projects.save_project(Project(name="round-1"))
        assert ann.labels.list_labels(project="round-1") == ()
        assert ann.label_queues.queue(QueueFilter(), project="round-1").total == 0
