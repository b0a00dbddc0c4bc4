"""Samples of a team: some rows for each tool, lots, gold rows, and labels of a model."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from tests.label.store.labelling import Clock, Talk, new, start_talk
from tests.label.store.teams import PROJECT, SHARED, Team
from workbench.errors import BadInput
from workbench.label.records.agreement import ItemKind, project_agreement
from workbench.label.records.project import Member, QueueFilter, QueueOrder, QueueSort
from workbench.label.records.quality import LotVerdict
from workbench.label.records.sampling import SamplingPlan
from workbench.records.corpus.label_summary import summarize_labels
from workbench.records.label import Verdict
from workbench.records.label_words import ProjectRole, QueueState
from workbench.store.store import Store

OTHER_CALL = '<tool_call>\n{"name": "later", "arguments": {}}\n</tool_call>'


@pytest.fixture
def team(migrated_url: str) -> Iterator[Team]:
    with closing(Store(migrated_url, now=Clock())) as store:
        yield Team(store)


def label(team: Team, name: str, talk: Talk, verdict: Verdict, *, is_done: bool = True) -> None:
    own = team.of(name)
    own.labels.save(new(talk.target(3), verdict, annotator=name, project=SHARED))
    if is_done:
        own.labels.move(talk.id, QueueState.DONE, project=SHARED, assignee=name, who=name)


def assigned(team: Team) -> set[str]:
    items = team.ann.label_queues.queue(QueueFilter(), project="round-1", limit=500).items
    return {item.session_id for item in items} - {team.talk.id}


def test_so_many_rows_are_assigned_for_each_tool(team: Team) -> None:
    now = {start_talk(team.ann, question=f"now {n}").id for n in range(6)} | {team.talk.id}
    later = {start_talk(team.ann, question=f"later {n}", call=OTHER_CALL).id for n in range(6)}
    given = team.ann.label_samples.assign_strata(QueueFilter(), project="round-1", by="tool", count=2, seed=1)
    sessions = {assignment.session_id for assignment in given}
    chosen = sessions | {team.talk.id}
    assert len(chosen & later) == 2
    assert len(chosen & now) in (2, 3)
    assert {assignment.annotator for assignment in given} == {"ben", "cleo"}
    again = team.ann.label_samples.assign_strata(QueueFilter(), project="round-1", by="tool", count=2, seed=1)
    assert again == []
    assert not team.ann.label_samples.assign_strata(QueueFilter(), project="round-1", by="tool", count=0)
    with pytest.raises(BadInput, match="only its owner"):
        team.dora.label_samples.assign_strata(QueueFilter(), project=SHARED, by="tool", count=1)


def lot(team: Team, *, accept: int = 0) -> tuple[list[Talk], SamplingPlan]:
    """Ten more rows, and a lot of all eleven rows with a sample of three."""
    talks = [start_talk(team.ann, question=f"question {n}") for n in range(10)]
    plan = SamplingPlan(size=11, sample=3, accept=accept, good=0.0, bad=0.5)
    team.ann.label_samples.add_lot(
        "first", QueueFilter(), plan, project="round-1", seed=5, shown="tag x", who="ann"
    )
    return [*talks, team.talk], plan


def test_a_lot_is_rejected_by_the_team_and_its_verdict_is_kept(team: Team) -> None:
    talks, plan = lot(team)
    [state] = team.ann.label_samples.lots(project="round-1")
    assert (state.lot.plan, state.judged, state.bad, state.verdict) == (plan, 0, 0, LotVerdict.OPEN)
    assert (state.lot.chosen, state.lot.seed, len(set(state.lot.rows))) == ("tag x", 5, 3)
    assert assigned(team) >= set(state.lot.rows) - {team.talk.id}
    sample = [talk for talk in talks if talk.id in state.lot.rows]
    with pytest.raises(BadInput, match="3 of its rows are not judged yet"):
        team.ann.label_samples.decide_lot("first", project="round-1")
    label(team, "ben", sample[0], Verdict.BAD_ANSWER)
    label(team, "cleo", sample[0], Verdict.GOOD)
    assert team.dora.label_samples.lots(project=SHARED)[0].judged == 0
    decision = new(
        sample[0].target(3), Verdict.BAD_ANSWER, annotator="dora", project=SHARED, is_deciding=True
    )
    team.dora.labels.save(decision)
    [state] = team.dora.label_samples.lots(project=SHARED)
    assert (state.judged, state.bad, state.verdict) == (1, 1, LotVerdict.REJECTED)
    recorded = team.dora.label_samples.decide_lot("first", project=SHARED, who="dora").lot
    assert (recorded.verdict, recorded.bad_count, recorded.decided_by) == (LotVerdict.REJECTED, 1, "dora")
    found = team.ann.labels.find(sample[0].target(3), project="round-1", is_deciding=True)
    assert found
    team.ann.labels.save(replace(decision, content=replace(decision.content, verdict=Verdict.GOOD),
                                 annotator="ann", project="round-1", base_revision=found.revision))  # fmt: skip
    [state] = team.ann.label_samples.lots(project="round-1")
    assert (state.bad, state.verdict, state.lot) == (0, LotVerdict.REJECTED, recorded)
    assert team.ann.label_samples.decide_lot("first", project="round-1", who="ann").lot == recorded


def test_a_lot_is_accepted_if_few_enough_rows_are_bad(team: Team) -> None:
    talks, _ = lot(team, accept=1)
    rows = team.ann.label_samples.lots(project="round-1")[0].lot.rows
    sample = [talk for talk in talks if talk.id in rows]
    for talk in sample[:2]:
        for name in ("ben", "cleo"):
            label(team, name, talk, Verdict.GOOD)
    assert team.ann.label_samples.decide_lot("first", project="round-1").verdict is LotVerdict.ACCEPTED


def test_lots_that_cannot_be_are_refused(team: Team) -> None:
    _, plan = lot(team)
    add = team.ann.label_samples.add_lot
    with pytest.raises(BadInput, match="taken"):
        add("first", QueueFilter(), plan, project="round-1")
    with pytest.raises(BadInput, match="11 rows match, but the plan is for 12"):
        add("second", QueueFilter(), replace(plan, size=12), project="round-1")
    with pytest.raises(BadInput, match="only its owner"):
        team.dora.label_samples.add_lot("third", QueueFilter(), plan, project=SHARED)
    with pytest.raises(BadInput, match="annotators may not see lots"):
        team.ben.label_samples.lots(project=SHARED)
    with pytest.raises(BadInput, match="annotators may not decide lots"):
        team.ben.label_samples.decide_lot("first", project=SHARED)
    with pytest.raises(BadInput, match="no such lot"):
        team.ann.label_samples.decide_lot("nothing", project="round-1")
    assert len(team.ann.label_samples.lots(project="round-1")) == 1


@pytest.mark.slow
def test_gold_rows_measure_annotators_who_cannot_tell_them_from_others(team: Team) -> None:
    talks = [start_talk(team.ann, question=f"question {n}") for n in range(30)]
    team.ann.label_assignments.assign([talk.id for talk in talks[2:]], [], project="round-1")
    gold = talks[:2]
    with pytest.raises(BadInput, match="what is right there is not known"):
        team.ann.label_samples.set_gold([gold[0].id], project="round-1")
    # One is decided in the project, the other one is labelled in the queue of all sessions.
    team.ann.labels.save(
        new(gold[0].target(3), Verdict.GOOD, annotator="ann", project="round-1", is_deciding=True)
    )
    team.ann.labels.save(new(gold[1].target(3), Verdict.BAD_ANSWER, annotator="ann"))
    rows = team.ann.label_samples.set_gold([talk.id for talk in gold], project="round-1", who="ann")
    assert rows == tuple(talk.id for talk in gold)
    for name in ("ben", "cleo"):
        queue = team.of(name).label_queues.queue(QueueFilter(), project=SHARED, limit=50).items
        mine = [item.session_id for item in queue]
        assert set(rows) <= set(mine)
        oldest = QueueSort(order=QueueOrder.OLDEST)
        in_order = (
            team.of(name).label_queues.queue(QueueFilter(), project=SHARED, sort=oldest, limit=50).items
        )
        assert sorted(mine) == sorted(item.session_id for item in in_order)
        # The chance that twelve or more rows are in this order is one in a billion.
        assert mine != [item.session_id for item in in_order]
        by_row = {item.session_id: item for item in queue}
        other = by_row[talks[2].id] if talks[2].id in by_row else by_row[talks[3].id]
        shown = replace(by_row[rows[0]], session_id="", title="", updated_at=other.updated_at)
        assert shown == replace(other, session_id="", title="")
    label(team, "ben", gold[0], Verdict.GOOD)
    label(team, "ben", gold[1], Verdict.GOOD)
    label(team, "cleo", gold[1], Verdict.BAD_ANSWER)
    # Also after submitting, nothing shows what is right; labels of others are shown as on other rows.
    seen = team.ben.labelling.open(gold[1].id, project=SHARED, annotator="ben")
    assert seen
    assert sorted((one.annotator, one.is_deciding) for one in seen.labels) == [
        ("ben", False),
        ("cleo", False),
    ]
    assert not any(one.is_deciding for one in team.ben.labels.list_labels(project=SHARED))
    assert team.ben.labels.find(gold[1].target(3), project=SHARED, is_deciding=True) is None
    found = team.dora.label_samples.accuracies(project=SHARED)
    assert [(one.name, one.right, one.total) for one in found] == [("ben", 1, 2), ("cleo", 1, 1)]
    assert found[0].interval == pytest.approx((0.0945, 0.9055), abs=1e-3)
    with pytest.raises(BadInput, match="annotators may not see the accuracy"):
        team.ben.label_samples.accuracies(project=SHARED)
    left = team.ann.label_samples.set_gold([gold[0].id], project="round-1", is_gold=False)
    assert left == (gold[1].id,)
    assert [one.total for one in team.ann.label_samples.accuracies(project="round-1")] == [1, 1]


def test_a_new_annotator_gets_all_gold_rows(team: Team) -> None:
    talk = start_talk(team.ann)
    team.ann.labels.save(new(talk.target(3), Verdict.GOOD, annotator="ann"))
    team.ann.label_samples.set_gold([talk.id], project="round-1")
    members = (*PROJECT.members, Member("eve", ProjectRole.ANNOTATOR))
    team.ann.label_projects.save_project(replace(PROJECT, members=members))
    team.ann.label_samples.set_gold([], project="round-1")
    queue = team.eve.label_queues.queue(QueueFilter(), project=SHARED).items
    assert [item.session_id for item in queue] == [talk.id]


def test_labels_of_a_model_are_beside_those_of_people(team: Team) -> None:
    progress = team.ann.label_queues.progress(project="round-1")
    by_model = new(team.talk.target(3), Verdict.BAD_ANSWER, annotator="ben", project="round-1", is_model=True)
    stored = team.ann.labels.save(by_model)
    assert stored.is_model
    assert team.ann.label_queues.progress(project="round-1") == progress
    assert team.seen_by("ben") == []
    team.judge("ben", Verdict.GOOD)
    team.judge("cleo", Verdict.GOOD)
    assert team.ann.label_queues.compare(team.talk.id, project="round-1").disputes == ()
    found = project_agreement(team.ann.label_queues.judgements(project="round-1"))
    assert found.kinds[ItemKind.MESSAGE].item_count == 1
    assert [pair.annotators for pair in found.models["messages"]] == [
        ("ben", "ben (model)"),
        ("ben (model)", "cleo"),
    ]
    labels = team.ann.labels.list_labels(project="round-1")
    assert len(labels) == 3
    assert summarize_labels(labels)[team.talk.messages[3]].is_good is True
    assert [one.annotator for one in labels if one.is_model] == ["ben"]
    with pytest.raises(BadInput, match="cannot label as"):
        team.ben.labels.save(replace(by_model, project=SHARED, annotator="judge"))
    opened = team.dora.labelling.open(team.talk.id, project=SHARED, annotator="dora", is_deciding=True)
    assert opened and sum(one.is_model for one in opened.labels) == 1
