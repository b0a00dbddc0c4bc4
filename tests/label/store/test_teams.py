"""Labelling projects of several accounts: who may do what, blind labels, decisions and progress."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.label.store.labelling import Clock, Talk, new, start_talk
from tests.label.store.teams import PROJECT, SHARED, Team
from tests.store.examples import completion
from workbench.errors import BadInput, StoreError
from workbench.label.records.agreement import ItemKind, project_agreement
from workbench.label.records.project import Member, Project, QueueFilter, QueueOrder, QueueSort
from workbench.records.label import Verdict
from workbench.records.label_words import ProjectRole, QueueState
from workbench.records.owner import Owner, UserRole, account_key
from workbench.store.store import Store


@pytest.fixture
def team(migrated_url: str) -> Iterator[Team]:
    with closing(Store(migrated_url, now=Clock())) as store:
        yield Team(store)


def test_a_project_is_stored_with_its_members_and_each_sees_it_with_their_role(team: Team) -> None:
    assert team.ann.label_projects.find_project("round-1") == PROJECT
    for own, role in ((team.ben, ProjectRole.ANNOTATOR), (team.dora, ProjectRole.REVIEWER)):
        found = own.label_projects.find_project(SHARED)
        assert found
        assert (found.owner, found.role, found.reference) == ("ann", role, SHARED)
        assert own.label_projects.list_projects() == (Project(name=""), found)
    projects = [own.label_projects.find_project(SHARED) for own in (team.dora, team.ben)]
    assert [found and found.members for found in projects] == [
        PROJECT.members,
        (Member("ben", ProjectRole.ANNOTATOR),),
    ]
    assert team.eve.label_projects.find_project(SHARED) is None
    assert team.eve.label_projects.list_projects() == (Project(name=""),)
    team.ann.label_projects.save_project(replace(PROJECT, members=PROJECT.members[1:]))
    assert team.ben.label_projects.find_project(SHARED) is None


def test_a_session_is_reached_through_its_project_only(team: Team) -> None:
    for own in (team.ben, team.dora, team.eve):
        assert own.sessions.find_session(team.talk.id) is None
        assert own.sessions.list_sessions(all_owners=True) == ()
        assert own.search.find("hi") == ()
        assert own.corpus.material(team.talk.id) is None
        assert own.labelling.open(team.talk.id) is None
    for name in ("ben", "dora"):
        opened = team.of(name).labelling.open(team.talk.id, project=SHARED, annotator=name)
        assert opened
        assert (opened.session.is_own, len(opened.path)) == (False, 4)
    other = start_talk(team.ann)
    assert team.ben.labelling.open(other.id, project=SHARED, annotator="ben") is None
    assert team.dora.labelling.open(other.id, project=SHARED, annotator="dora") is None


def test_ephemeral_text_is_not_shown_to_members(team: Team) -> None:
    talk = start_talk(team.ann, ephemeral="secret")
    team.ann.label_assignments.assign([talk.id], [], project="round-1")
    opened = team.ben.labelling.open(talk.id, project=SHARED, annotator="ben")
    assert opened and "secret" not in repr((opened.session, opened.path))


def test_labels_of_others_are_hidden_until_one_s_own_are_submitted(team: Team) -> None:
    team.judge("ben", Verdict.GOOD)
    team.judge("cleo", Verdict.BAD_ANSWER, is_done=False)
    assert team.seen_by("cleo") == [("cleo", Verdict.BAD_ANSWER)]
    assert team.cleo.labels.find(team.talk.target(3), annotator="ben", project=SHARED) is None
    assert team.cleo.label_queues.queue(QueueFilter(verdict="good"), project=SHARED).total == 0
    [item] = team.cleo.label_queues.queue(QueueFilter(), project=SHARED).items
    assert (item.assignee, item.label_count, item.disputed_count) == ("cleo", 1, 0)
    assert len(team.seen_by("ben")) == 2
    team.submit("cleo")
    assert len(team.seen_by("cleo")) == 2
    team.cleo.labels.move(team.talk.id, QueueState.DRAFT, project=SHARED, assignee="cleo", who="cleo")
    assert team.seen_by("cleo") == [("cleo", Verdict.BAD_ANSWER)]


def test_somebody_else_s_correction_makes_nothing_stale(team: Team) -> None:
    correction = new(team.talk.target(1), correction="Which city?", annotator="ben", project=SHARED)
    team.ben.labels.save(correction)
    stale = [
        team.of(name).labelling.open(team.talk.id, project=SHARED, annotator=name) for name in ("ben", "cleo")
    ]
    assert [tuple(opened.stale) for opened in stale if opened] == [tuple(team.talk.messages[2:]), ()]


FORGED: dict[str, Callable[[Team], object]] = {
    "labels in the name of somebody else": lambda t: t.ben.labels.save(
        new(t.talk.target(3), Verdict.GOOD, annotator="cleo", project=SHARED)
    ),
    "labels without a name": lambda t: t.ben.labels.save(new(t.talk.target(3), Verdict.GOOD, project=SHARED)),
    "submits for somebody else": lambda t: t.ben.labels.move(
        t.talk.id, QueueState.DONE, project=SHARED, assignee="cleo", who="ben"
    ),
    "signs as somebody else": lambda t: t.ben.labels.move(
        t.talk.id, QueueState.DONE, project=SHARED, assignee="ben", who="cleo"
    ),
    "accepts in the name of somebody else": lambda t: t.ben.labels.accept(
        t.talk.id, t.talk.messages[3], project=SHARED, who="cleo"
    ),
    "decides as an annotator": lambda t: t.ben.labels.save(
        new(t.talk.target(3), Verdict.GOOD, annotator="ben", project=SHARED, is_deciding=True)
    ),
    "opens as somebody who decides": lambda t: t.ben.labelling.open(
        t.talk.id, project=SHARED, annotator="ben", is_deciding=True
    ),
    "opens as somebody else": lambda t: t.ben.labelling.open(t.talk.id, project=SHARED, annotator="cleo"),
    "reads the agreement": lambda t: t.ben.label_queues.judgements(project=SHARED),
    "compares labels": lambda t: t.ben.label_queues.compare(t.talk.id, project=SHARED),
    "reads the review": lambda t: t.ben.label_queues.queue(QueueFilter(), project=SHARED, is_review=True),
    "filters by disputes": lambda t: t.ben.label_queues.queue(QueueFilter(is_disputed=True), project=SHARED),
    "orders by agreement": lambda t: t.ben.label_queues.queue(
        QueueFilter(), project=SHARED, sort=QueueSort(order=QueueOrder.AGREEMENT)
    ),
    "assigns": lambda t: t.dora.label_assignments.assign([t.talk.id], ["dora"], project=SHARED),
    "assigns by filter": lambda t: t.dora.label_assignments.assign_matching(
        QueueFilter(), ["dora"], project=SHARED
    ),
    "changes the project": lambda t: t.dora.label_projects.save_project(
        replace(t.dora.label_projects.find_project(SHARED) or PROJECT, overlap=1)
    ),
    "labels without an assignment": lambda t: t.dora.labels.save(
        new(t.talk.target(3), Verdict.GOOD, annotator="dora", project=SHARED)
    ),
    "labels in the owner's project by its name": lambda t: t.ben.labels.save(
        new(t.talk.target(3), Verdict.GOOD, annotator="ben", project="round-1")
    ),
    "labels without the project": lambda t: t.ben.labels.save(
        new(t.talk.target(3), Verdict.GOOD, annotator="ben")
    ),
    "a stranger labels": lambda t: t.eve.labels.save(
        new(t.talk.target(3), Verdict.GOOD, annotator="eve", project=SHARED)
    ),
    "a stranger reads the queue": lambda t: t.eve.label_queues.queue(QueueFilter(), project=SHARED),
    "a stranger reads the progress": lambda t: t.eve.label_queues.progress(project=SHARED),
    "an admin labels": lambda t: t.of("root", UserRole.ADMIN).labels.save(
        new(t.talk.target(3), Verdict.GOOD, annotator="root", project=SHARED)
    ),
    "a browser with the key of an account": lambda t: t.store.of(Owner(key="ben")).label_queues.queue(
        QueueFilter(), project=SHARED
    ),
    "a member regenerates": lambda t: t.ben.sessions.append(
        t.talk.id, completion("x"), parent_id=t.talk.messages[0]
    ),
}


@pytest.mark.parametrize("what", FORGED)
def test_nobody_may_do_more_than_their_role(team: Team, what: str) -> None:
    team.judge("cleo", Verdict.GOOD)
    before = _stored(team)
    with pytest.raises((BadInput, StoreError)):
        FORGED[what](team)
    assert _stored(team) == before


def _stored(team: Team) -> list[object]:
    labels = team.ann.labels
    return [
        labels.list_labels(project="round-1"), labels.list_labels(), team.ann.label_projects.find_project("round-1"),
        team.ann.label_queues.queue(QueueFilter(), project="round-1"), team.ann.label_queues.progress(project="round-1"),
        team.ann.sessions.path(team.talk.id), team.ann.audit.entries(),
    ]  # fmt: skip


def test_a_filter_of_an_annotator_never_shows_items_of_others(team: Team) -> None:
    assert (
        team.ben.label_queues.queue(QueueFilter(assignee="cleo"), project=SHARED).items[0].assignee == "ben"
    )
    assert [one.name for one in team.ben.label_queues.progress(project=SHARED).annotators] == ["ben"]
    assert [one.name for one in team.dora.label_queues.progress(project=SHARED).annotators] == ["ben", "cleo"]


def test_the_queue_of_an_annotator_does_not_say_what_is_disputed(team: Team) -> None:
    team.judge("ben", Verdict.GOOD)
    team.judge("cleo", Verdict.BAD_ANSWER)
    [item] = team.ben.label_queues.queue(QueueFilter(), project=SHARED).items
    assert item.disputed_count == 0
    moved = team.ben.labels.move(
        team.talk.id, QueueState.DISCARDED, project=SHARED, assignee="ben", who="ben"
    )
    assert moved.disputed_count == 0


def test_a_reviewer_decides_and_both_originals_stay(team: Team) -> None:
    team.judge("ben", Verdict.GOOD)
    assert team.dora.label_queues.queue(QueueFilter(), project=SHARED, is_review=True).total == 0
    team.judge("cleo", Verdict.BAD_ANSWER, answer="no")
    [item] = team.dora.label_queues.queue(QueueFilter(is_disputed=True), project=SHARED, is_review=True).items
    assert (item.session_id, item.state, item.disputed_count) == (team.talk.id, QueueState.PENDING, 1)
    [dispute] = team.dora.label_queues.compare(team.talk.id, project=SHARED).disputes
    assert (dispute.about, [label.annotator for label in dispute.labels]) == (
        ("verdict", "polite"),
        ["ben", "cleo"],
    )
    assert len(team.seen_by("dora", is_deciding=True)) == 2
    progress = team.ann.label_queues.progress(project="round-1")
    assert (progress.done, progress.total, progress.compared, progress.disputed) == (2, 2, 1, 1)
    decision = new(team.talk.target(3), Verdict.GOOD, annotator="dora", project=SHARED, is_deciding=True)
    team.dora.labels.save(decision)
    [item] = team.dora.label_queues.queue(QueueFilter(), project=SHARED, is_review=True).items
    assert (item.state, item.disputed_count) == (QueueState.DONE, 0)
    progress = team.ann.label_queues.progress(project="round-1")
    assert (progress.disputed, progress.disagreed) == (0, 1)
    stored = team.ann.labels.list_labels(project="round-1")
    assert [(label.annotator, label.is_deciding) for label in stored] == [
        ("ben", False), ("cleo", False), ("dora", True),
    ]  # fmt: skip
    found = project_agreement(team.dora.label_queues.judgements(project=SHARED))
    assert {kind: agreed.item_count for kind, agreed in found.kinds.items()} == {ItemKind.MESSAGE: 1}
    assert {name: agreed.item_count for name, agreed in found.questions.items()} == {"polite": 1}


def test_a_reviewer_who_also_labels_a_row_is_blind_until_they_submit_it(team: Team) -> None:
    members = (*PROJECT.members[:2], Member("dora", ProjectRole.REVIEWER))
    team.ann.label_projects.save_project(replace(PROJECT, overlap=3, members=members))
    team.ann.label_assignments.assign([team.talk.id], ["dora", "ben", "cleo"], project="round-1")
    team.judge("ben", Verdict.GOOD)
    assert team.seen_by("dora", is_deciding=True) == []
    assert team.dora.labels.list_labels(project=SHARED) == ()
    team.judge("dora", Verdict.BAD_ANSWER)
    assert len(team.seen_by("dora", is_deciding=True)) == 2


def test_what_a_member_does_is_in_the_log_of_the_owner(team: Team) -> None:
    team.judge("ben", Verdict.GOOD)
    log = [(entry.action, entry.who) for entry in team.ann.audit.entries(limit=3)]
    assert log == [("task.move", "ben"), ("label.save", "ben"), ("task.move", "ben")]
    assert team.ben.audit.entries() == ()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"members": (Member("ben", ProjectRole.ANNOTATOR), Member("ben", ProjectRole.REVIEWER))},
            "a member twice",
        ),
        ({"members": (Member(" ", ProjectRole.ANNOTATOR),)}, "empty or has spaces"),
        ({"members": (Member("eve", ProjectRole.OWNER),)}, "cannot be the owner"),
        ({"members": (Member("ann", ProjectRole.ANNOTATOR),)}, "is its owner"),
        ({"name": ""}, "cannot be shared"),
        ({"name": "ben/round"}, "contains '/'"),
    ],
    ids=str,
)
def test_an_invalid_project_is_rejected(team: Team, change: dict[str, object], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        team.ann.label_projects.save_project(replace(PROJECT, **change))


def test_a_database_without_labels_has_an_empty_progress(migrated_url: str) -> None:
    moments = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=n) for n in range(99))
    with closing(Store(migrated_url, now=lambda: next(moments))) as store:
        own = store.of(Owner(key=account_key("ann"), name="ann"))
        assert (own.label_queues.progress().done, own.label_queues.progress().total) == (0, 0)
        talk: Talk = start_talk(own)
        own.labels.move(talk.id, QueueState.DONE, assignee="ann")
        assert (own.label_queues.progress().done, own.label_queues.progress().total) == (1, 1)
