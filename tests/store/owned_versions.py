"""Checks for `test_owners`: what other owners can do with versions, labels, runs, search and the audit log."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.exchanges import Agent, answered, said
from tests.store.examples import SETUP
from tests.store.runs.comparisons import COLUMNS
from tests.store.runs.examples import PLAN, RESULT, give_run
from workbench.errors import BadInput, StoreError
from workbench.label.records.action import ActionId, LabelAction
from workbench.label.records.project import Member, Project, QueueFilter
from workbench.label.records.sampling import SamplingPlan
from workbench.records.comparisons import Comparison, ComparisonAnswer, StoredComparison, Vote, VoteKind
from workbench.records.facts import FactGroup
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.label_words import ActionKind, ProjectRole, QueueState
from workbench.records.runs import RunState
from workbench.records.versions import FileState, NewVersion, VersionKind, hash_of
from workbench.store.store import OwnedStore

CONTRACT = VersionKind.CONTRACT
SECRET = "secret of ann"
PROJECT = "ann's project"
RECORDED = "e" * 32

Check = Callable[[OwnedStore, Any], object]


def give_versions(own: OwnedStore) -> None:
    """Store versions of Ann."""
    version = own.versions.save(NewVersion(kind=CONTRACT, name="minimal", text=SECRET))
    own.versions.tag(version.id, "production")
    own.versions.keep_text(CONTRACT, SECRET + " in a session")
    own.versions.save(NewVersion(kind=CONTRACT, name="gone", text=SECRET + " deleted"))
    own.version_names.delete_name(CONTRACT, "gone")


def give_labels(own: OwnedStore, target: LabelTarget) -> None:
    """Store labels of Ann."""
    own.label_projects.save_project(Project(name=PROJECT, guidelines=SECRET))
    own.labels.save(NewLabel(target=target, content=LabelContent(verdict=Verdict.GOOD, comment=SECRET)))
    own.label_projects.save_project(Project(name="gone", guidelines=SECRET))
    own.label_projects.delete_project("gone")


def give_recordings(own: OwnedStore) -> None:
    """Store a recorded session of Ann."""
    own.recordings.record(RECORDED, Agent().request(said(SECRET)), answered(SECRET))


def give_runs(own: OwnedStore) -> None:
    """Store a run of Ann."""
    give_run(own, title=SECRET)


def give_presets(own: OwnedStore) -> None:
    """Store a preset of Ann, and a deleted one."""
    own.presets.save_preset(SECRET, SETUP)
    own.presets.save_preset("gone", SETUP)
    own.presets.delete_preset("gone")


def give_comparisons(own: OwnedStore, target: LabelTarget) -> None:
    """Store a comparison of Ann."""
    comparison = Comparison(session_id=target.session_id, turns=(target.message_id,), columns=COLUMNS)
    own.comparisons.create_comparison(SECRET, comparison)


def target_of(world: Any) -> LabelTarget:
    """Return the target of Ann's label."""
    return LabelTarget(session_id=world.session.id, message_id=world.message.id)


def seen_of_versions_and_labels(own: OwnedStore) -> list[object]:
    """Return everything that an owner sees, without the shared library."""
    return [
        [version for version in own.versions.history(CONTRACT, "minimal") if not version.is_shared],
        own.versions.find(CONTRACT, "minimal"),
        own.labels.list_labels(),
        own.label_queues.queue(QueueFilter()),
        own.label_projects.list_projects(),
        own.audit.entries(limit=1000),
        [own.presets.find_preset(preset.id) for preset in own.presets.list_presets()],
        own.runs.list_runs(),
        [own.runs.results(run.id) for run in own.runs.list_runs()],
        [own.comparisons.find_comparison(comparison.id) for comparison in own.comparisons.list_comparisons()],
    ]


def returns_nothing(call: Check) -> Check:
    """Check that the call returns nothing."""

    def check(own: OwnedStore, world: Any) -> None:
        assert not call(own, world)

    return check


def only_for_ann(call: Check) -> Check:
    """Check that the call returns something to Ann and nothing to others."""

    def check(own: OwnedStore, world: Any) -> None:
        assert call(world.store.of(world.owner), world)
        assert not call(own, world)

    return check


def is_rejected(call: Check, message: str) -> Check:
    """Check that the call raises a StoreError with this message."""

    def check(own: OwnedStore, world: Any) -> None:
        with pytest.raises(StoreError, match=message):
            call(own, world)

    return check


def is_unknown(call: Check, message: str = "there is no such preset") -> Check:
    """Check that the call does not find the preset, and names none of Ann's."""

    def check(own: OwnedStore, world: Any) -> None:
        with pytest.raises(BadInput, match=message) as refused:
            call(own, world)
        assert "your presets" not in refused.value.remedy

    return check


def _preset(world: Any) -> str:
    """Return the id of Ann's preset."""
    return world.store.of(world.owner).presets.list_presets()[0].id


def _presets_apart(own: OwnedStore, _world: Any) -> None:
    own.presets.save_preset(SECRET, SETUP)
    assert [preset.name for preset in own.presets.list_presets()] == [SECRET]


def _id(world: Any) -> str:
    """Return the id of Ann's version."""
    found = world.store.of(world.owner).versions.find(CONTRACT, "minimal")
    assert found
    return found.id


def _deletion(world: Any) -> str:
    """Return the id of the deletion of one of Ann's contracts."""
    return world.store.of(world.owner).version_names.deleted_names()[0].id


def _run(world: Any) -> str:
    """Return the id of Ann's run."""
    return world.store.of(world.owner).runs.list_runs()[0].id


def _comparison(world: Any) -> StoredComparison:
    """Return Ann's comparison."""
    comparisons = world.store.of(world.owner).comparisons
    found = comparisons.find_comparison(comparisons.list_comparisons()[0].id)
    assert found
    return found


def _runs_apart(own: OwnedStore, _world: Any) -> None:
    created = own.runs.create_run("mine", PLAN)
    assert [run.id for run in own.runs.list_runs()] == [created.id]


def _saves_apart(own: OwnedStore, _world: Any) -> None:
    saved = own.versions.save(NewVersion(kind=CONTRACT, name="minimal", text="mine"))
    assert (saved.number, saved.parent_id) == (1, None)


def _takes_apart(own: OwnedStore, _world: Any) -> None:
    state, head = own.versions.take_file(CONTRACT, "minimal", SECRET)
    assert (state, head.number, head.tags) == (FileState.TAKEN, 1, ())


def _projects_apart(own: OwnedStore, _world: Any) -> None:
    assert own.label_projects.save_project(Project(name=PROJECT)).guidelines == ""
    assert [project.name for project in own.label_projects.list_projects()] == ["", PROJECT]


def _assigns_apart(own: OwnedStore) -> None:
    own.label_projects.save_project(Project(name="mine"))
    assert own.label_assignments.assign_matching(QueueFilter(), ["bob"], project="mine") == []


def _samples_apart(own: OwnedStore) -> None:
    own.label_projects.save_project(Project(name="mine", members=(Member("bob", ProjectRole.ANNOTATOR),)))
    assert own.label_samples.assign_strata(QueueFilter(), project="mine", by="tool", count=5) == []


def _records_apart(own: OwnedStore, _world: Any) -> None:
    done = own.recordings.record(RECORDED, Agent().request(said("mine")), answered("mine"))
    assert done.session_id != RECORDED
    assert [session.id for session in own.sessions.list_sessions()] == [done.session_id]


CHECKS: dict[str, Check] = {
    "versions.lines": returns_nothing(lambda own, w: own.versions.lines()),
    "versions.history": returns_nothing(lambda own, w: own.versions.history(CONTRACT, "minimal")),
    "versions.find": returns_nothing(
        lambda own, w: any(
            own.versions.find(CONTRACT, "minimal", which) for which in ("", "1", "production", _id(w))
        )
    ),
    "versions.version": returns_nothing(lambda own, w: own.versions.version(_id(w))),
    "versions.find_text": returns_nothing(
        lambda own, w: (
            own.versions.find_text(CONTRACT, hash_of(SECRET))
            or own.versions.find_text(CONTRACT, hash_of(SECRET + " in a session"))
        )
    ),
    "versions.save": _saves_apart,
    "versions.keep_text": lambda own, w: own.versions.keep_text(CONTRACT, SECRET),
    "versions.take_file": _takes_apart,
    "versions.restore": is_rejected(lambda own, w: own.versions.restore(_id(w)), "there is no version"),
    "versions.tag": is_rejected(lambda own, w: own.versions.tag(_id(w), "production"), "there is no version"),
    "versions.untag": returns_nothing(lambda own, w: own.versions.untag(CONTRACT, "minimal", "production")),
    "versions.comes_from": is_rejected(
        lambda own, w: own.versions.comes_from(_id(w), "x"), "there is no version"
    ),
    "version_names.rename": is_rejected(
        lambda own, w: own.version_names.rename(CONTRACT, "minimal", "other"), "you have no contract"
    ),
    "version_names.delete_name": is_rejected(
        lambda own, w: own.version_names.delete_name(CONTRACT, "minimal"), "you have no contract"
    ),
    "version_names.restore_name": is_rejected(
        lambda own, w: own.version_names.restore_name(_deletion(w)), "there is no deletion"
    ),
    "versions.tagged_names": only_for_ann(lambda own, w: own.versions.tagged_names(CONTRACT)),
    "versions.heads_unlike": returns_nothing(lambda own, w: own.versions.heads_unlike(CONTRACT, {})),
    "versions.taken_hashes": returns_nothing(lambda own, w: own.versions.taken_hashes(CONTRACT)),
    "version_names.deleted_names": returns_nothing(lambda own, w: own.version_names.deleted_names()),
    "versions.note_file": is_rejected(lambda own, w: own.versions.note_file(_id(w)), "there is no version"),
    "labels.save": is_rejected(
        lambda own, w: own.labels.save(
            NewLabel(target=target_of(w), content=LabelContent(), base_revision=1)
        ),
        "there is no session",
    ),
    "labels.apply": is_rejected(
        lambda own, w: own.labels.apply(
            LabelAction(id=ActionId("tab", 1), session_id=w.session.id, kind=ActionKind.SUBMIT)
        ),
        "there is no session",
    ),
    "labels.find": returns_nothing(lambda own, w: own.labels.find(target_of(w))),
    "labels.list_labels": returns_nothing(
        lambda own, w: (*own.labels.list_labels(), *own.labels.list_labels(session_id=w.session.id))
    ),
    "labels.accept": is_rejected(
        lambda own, w: own.labels.accept(w.session.id, w.message.id), "there is no session"
    ),
    "labels.stale": is_rejected(lambda own, w: own.labels.stale(w.session.id), "there is no session"),
    "label_queues.queue": returns_nothing(lambda own, w: own.label_queues.queue(QueueFilter()).items),
    "labels.move": is_rejected(
        lambda own, w: own.labels.move(w.session.id, QueueState.DONE), "there is no session"
    ),
    "label_assignments.assign": is_rejected(
        lambda own, w: own.label_assignments.assign([w.session.id], ["bob"], project=""),
        "there is no session",
    ),
    "label_assignments.assign_matching": lambda own, w: _assigns_apart(own),
    "label_samples.assign_strata": lambda own, w: _samples_apart(own),
    "label_samples.count_rows": returns_nothing(lambda own, w: own.label_samples.count_rows(QueueFilter())),
    "label_samples.session_ids": returns_nothing(lambda own, w: own.label_samples.session_ids(QueueFilter())),
    "label_samples.add_lot": is_rejected(
        lambda own, w: own.label_samples.add_lot(
            "lot",
            QueueFilter(),
            SamplingPlan(size=1, sample=1, accept=0, good=0.05, bad=0.5),
            project=PROJECT,
        ),
        "there is no labelling project",
    ),
    "label_samples.lots": is_rejected(
        lambda own, w: own.label_samples.lots(project=PROJECT), "there is no labelling project"
    ),
    "label_samples.decide_lot": is_rejected(
        lambda own, w: own.label_samples.decide_lot("lot", project=PROJECT), "there is no labelling project"
    ),
    "label_samples.set_gold": is_rejected(
        lambda own, w: own.label_samples.set_gold([w.session.id], project=PROJECT),
        "there is no labelling project",
    ),
    "label_samples.accuracies": is_rejected(
        lambda own, w: own.label_samples.accuracies(project=PROJECT), "there is no labelling project"
    ),
    "label_queues.progress": returns_nothing(
        lambda own, w: [item for item in own.label_queues.progress().annotators if item.total]
    ),
    "label_queues.next_open": returns_nothing(lambda own, w: own.label_queues.next_open(QueueFilter())),
    "label_queues.neighbour": returns_nothing(
        lambda own, w: own.label_queues.neighbour(QueueFilter(), w.session.id)
    ),
    "label_queues.compare": is_rejected(
        lambda own, w: own.label_queues.compare(w.session.id, project=PROJECT),
        "there is no labelling project",
    ),
    "labelling.open": returns_nothing(lambda own, w: own.labelling.open(w.session.id)),
    "label_projects.save_project": _projects_apart,
    "label_assignments.unassign": is_rejected(
        lambda own, w: own.label_assignments.unassign(QueueFilter(), project=PROJECT),
        "there is no labelling project",
    ),
    "label_projects.delete_project": is_rejected(
        lambda own, w: own.label_projects.delete_project(PROJECT), "there is no labelling project"
    ),
    "label_projects.deleted_projects": returns_nothing(lambda own, w: own.label_projects.deleted_projects()),
    "label_projects.restore_project": is_rejected(
        lambda own, w: own.label_projects.restore_project("gone"), "there is no deleted labelling project"
    ),
    "recordings.find_session": returns_nothing(
        lambda own, w: own.recordings.find_session(Agent().request(said(SECRET)))
    ),
    "recordings.last_recorded": returns_nothing(lambda own, w: own.recordings.last_recorded()),
    "recordings.record": _records_apart,
    "label_projects.find_project": returns_nothing(lambda own, w: own.label_projects.find_project(PROJECT)),
    "label_projects.list_projects": returns_nothing(lambda own, w: own.label_projects.list_projects()[1:]),
    "label_queues.judgements": returns_nothing(lambda own, w: own.label_queues.judgements()),
    "presets.save_preset": _presets_apart,
    "presets.list_presets": returns_nothing(lambda own, w: own.presets.list_presets()),
    "presets.find_preset": is_unknown(lambda own, w: own.presets.find_preset(_preset(w))),
    "presets.rename_preset": is_unknown(lambda own, w: own.presets.rename_preset(_preset(w), "x")),
    "presets.delete_preset": is_unknown(lambda own, w: own.presets.delete_preset(_preset(w))),
    "presets.restore_preset": is_unknown(
        lambda own, w: own.presets.restore_preset(_preset(w)), "can no longer be restored"
    ),
    "presets.share_preset": is_unknown(lambda own, w: own.presets.share_preset(_preset(w))),
    "presets.unshare_preset": is_unknown(lambda own, w: own.presets.unshare_preset(_preset(w))),
    "presets.find_shared_preset": returns_nothing(lambda own, w: own.presets.find_shared_preset(_preset(w))),
    "runs.create_run": _runs_apart,
    "runs.find_run": returns_nothing(
        lambda own, w: own.runs.find_run(_run(w)) or own.runs.find_run(_run(w)[:6])
    ),
    "runs.list_runs": returns_nothing(lambda own, w: own.runs.list_runs()),
    "runs.arms_of": only_for_ann(lambda own, w: own.runs.arms_of("short")),
    "runs.add_session": is_rejected(
        lambda own, w: own.runs.add_session(_run(w), w.session.id), "there is no run"
    ),
    "runs.change_plan": is_rejected(lambda own, w: own.runs.change_plan(_run(w), PLAN), "there is no run"),
    "runs.save_result": is_rejected(lambda own, w: own.runs.save_result(_run(w), RESULT), "there is no run"),
    "runs.results": is_rejected(lambda own, w: own.runs.results(_run(w)), "there is no run"),
    "runs.begin_run": is_rejected(lambda own, w: own.runs.begin_run(_run(w)), "there is no run"),
    "runs.end_run": is_rejected(lambda own, w: own.runs.end_run(_run(w), RunState.DONE), "there is no run"),
    "runs.forget_errors": is_rejected(lambda own, w: own.runs.forget_errors(_run(w)), "there is no run"),
    "runs.delete_run": is_rejected(lambda own, w: own.runs.delete_run(_run(w)), "there is no run"),
    "runs.restore_run": is_rejected(lambda own, w: own.runs.restore_run(_run(w)), "there is no deleted run"),
    "runs.rename_run": is_rejected(lambda own, w: own.runs.rename_run(_run(w), "x"), "there is no run"),
    "runs.tag_run": is_rejected(lambda own, w: own.runs.tag_run(_run(w), ["x"]), "there is no run"),
    "runs.share_run": is_rejected(lambda own, w: own.runs.share_run(_run(w)), "there is no run"),
    "runs.unshare_run": is_rejected(lambda own, w: own.runs.unshare_run(_run(w)), "there is no run"),
    "runs.find_shared_run": returns_nothing(lambda own, w: own.runs.find_shared_run(_run(w))),
    "comparisons.create_comparison": is_rejected(
        lambda own, w: own.comparisons.create_comparison("x", _comparison(w).comparison),
        "there is no session",
    ),
    "comparisons.find_comparison": returns_nothing(
        lambda own, w: own.comparisons.find_comparison(_comparison(w).id)
    ),
    "comparisons.list_comparisons": returns_nothing(lambda own, w: own.comparisons.list_comparisons()),
    "comparisons.save_answer": is_rejected(
        lambda own, w: own.comparisons.save_answer(_comparison(w).id, ComparisonAnswer(column=0, turn=0)),
        "there is no comparison",
    ),
    "comparisons.save_vote": is_rejected(
        lambda own, w: own.comparisons.save_vote(_comparison(w).id, Vote(turn=0, kind=VoteKind.TIE)),
        "there is no comparison",
    ),
    "comparisons.forget_vote": is_rejected(
        lambda own, w: own.comparisons.forget_vote(_comparison(w).id, 0), "there is no comparison"
    ),
    "search.find": returns_nothing(lambda own, w: own.search.find("secret")),
    "facts.of_session": returns_nothing(lambda own, w: own.facts.of_session(w.session.id)),
    "facts.count": returns_nothing(lambda own, w: own.facts.count(FactGroup.CODE)),
    "facts.totals": only_for_ann(lambda own, w: own.facts.totals().completions),
    "facts.days": only_for_ann(lambda own, w: own.facts.days([hash_of(SETUP.contract_text)])),
    "audit.entries": returns_nothing(lambda own, w: own.audit.entries()),
}
"""Checks by store class and method."""
