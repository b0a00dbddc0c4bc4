"""Runs and their results are stored."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.store.examples import SETUP, user
from tests.store.runs.examples import PLAN, RESULT, give_run
from workbench.errors import BadInput, StoreError
from workbench.label.records.project import QueueFilter
from workbench.records.label_words import QueueState
from workbench.records.owner import LOCAL_OWNER
from workbench.records.runs import RunState
from workbench.store.store import Store
from workbench.suite.result import CaseStatus


@pytest.fixture
def own(url):
    with closing(Store(url)) as store:
        yield store.of(LOCAL_OWNER)


def of(place, **more):
    job = PLAN.jobs()[place]
    return replace(RESULT, key=job.key, case_id=job.case.id, repetition=job.repetition, **more)


def test_a_run_is_stored_unchanged(own):
    run = own.runs.create_run("a title", PLAN)
    found = own.runs.find_run(run.id)
    assert found == run
    assert found.plan == PLAN
    assert (found.listed.total, found.listed.done, found.listed.state) == (4, 0, RunState.RUNNING)
    assert own.runs.find_run(run.id[:8]) == run
    assert own.runs.find_run("") is None
    assert own.runs.find_run("%") is None


def test_results_are_returned_in_the_order_of_the_plan(own):
    run = own.runs.create_run("x", PLAN)
    for place in (2, 0, 3, 1):
        own.runs.save_result(run.id, of(place))
    assert own.runs.results(run.id) == tuple(of(place) for place in range(4))


def test_a_repetition_keeps_its_first_result(own):
    run = own.runs.create_run("x", PLAN)
    own.runs.save_result(run.id, of(0, status=CaseStatus.PASSED))
    own.runs.save_result(run.id, of(0, status=CaseStatus.FAILED))
    assert [result.status for result in own.runs.results(run.id)] == [CaseStatus.PASSED]


def test_the_list_counts_results(own):
    run = own.runs.create_run("x", PLAN)
    for place, status in enumerate((CaseStatus.PASSED, CaseStatus.ERROR, CaseStatus.FAILED)):
        own.runs.save_result(run.id, of(place, status=status))
    own.runs.end_run(run.id, RunState.STOPPED)
    newer = own.runs.create_run("y", PLAN)
    first, second = own.runs.list_runs()
    assert (first.id, second.id) == (newer.id, run.id)
    assert (second.done, second.passed, second.errors, second.state) == (3, 1, 1, RunState.STOPPED)
    assert [run.id for run in own.runs.list_runs(limit=1, offset=1)] == [run.id]


def test_errors_can_be_deleted_to_run_again(own):
    run = own.runs.create_run("x", PLAN)
    own.runs.save_result(run.id, of(0, status=CaseStatus.ERROR))
    own.runs.save_result(run.id, of(1))
    assert own.runs.forget_errors(run.id) == 1
    assert own.runs.results(run.id) == (of(1),)


def test_rollouts_are_not_listed_but_can_be_opened(own):
    session = own.sessions.create_session(SETUP)
    own.sessions.append(session.id, user("hi"), parent_id=None)
    assert [session.id for session in own.sessions.list_sessions()] == [session.id]
    give_run(own, session.id)
    assert own.sessions.list_sessions() == ()
    assert own.sessions.find_session(session.id)


def test_a_rollout_is_in_the_labelling_queue_only_on_request(own):
    session = own.sessions.create_session(SETUP)
    own.sessions.append(session.id, user("hi"), parent_id=None)
    give_run(own, session.id)
    assert own.label_queues.queue(QueueFilter()).items == ()
    own.labels.move(session.id, QueueState.PENDING)
    assert [item.session_id for item in own.label_queues.queue(QueueFilter()).items] == [session.id]


def test_a_deleted_run_is_hidden_and_can_be_restored(own):
    run = give_run(own)
    key = own.runs.share_run(run.id)
    before = own.runs.find_run(run.id)
    own.runs.delete_run(run.id)
    assert own.runs.find_run(run.id) is None
    assert own.runs.find_shared_run(key) is None
    assert (own.runs.list_runs(), own.runs.arms_of("short")) == ((), ())
    assert [listed.id for listed in own.runs.list_runs(is_deleted=True)] == [run.id]
    deleted = own.runs.find_run(run.id[:8], is_deleted=True)
    assert (deleted and deleted.id, own.runs.find_run(run.id[:8])) == (run.id, None)
    for call in (own.runs.results, own.runs.delete_run):
        with pytest.raises(StoreError, match="there is no run"):
            call(run.id)
    own.runs.restore_run(run.id)
    assert own.runs.find_run(run.id) == before
    assert own.runs.results(run.id) == (RESULT,)
    with pytest.raises(StoreError, match="there is no deleted run"):
        own.runs.restore_run(run.id)


def test_a_deleted_run_is_purged_after_30_days(url):
    moment = [datetime(2026, 11, 1, tzinfo=UTC)]
    with closing(Store(url, now=lambda: moment[0])) as store:
        runs = store.of(LOCAL_OWNER).runs
        purged, stays = runs.create_run("x", PLAN), runs.create_run("y", PLAN)
        runs.tag_run(purged.id, ["a"])
        runs.delete_run(purged.id)
        moment[0] += timedelta(days=30)
        store.purge()
        with pytest.raises(StoreError, match="there is no deleted run"):
            runs.restore_run(purged.id)
        assert [run.id for run in runs.list_runs()] == [stays.id]


def test_a_run_has_a_title_and_tags(own):
    first, second = give_run(own), give_run(own)
    own.runs.rename_run(first.id, "  before\nthe fix ")
    own.runs.tag_run(first.id, [" nightly ", "", "nightly", "v2"])
    found = own.runs.find_run(first.id)
    assert (found.listed.title, found.listed.tags) == ("before the fix", ("nightly", "v2"))
    assert [(run.id, run.tags) for run in own.runs.list_runs(tag="nightly")] == [
        (first.id, ("nightly", "v2"))
    ]
    assert own.runs.list_runs(tag="night") == ()
    own.runs.tag_run(first.id, [])
    assert own.runs.list_runs(tag="nightly") == ()
    assert {run.id for run in own.runs.list_runs()} == {first.id, second.id}
    with pytest.raises(BadInput, match="title: it is empty"):
        own.runs.rename_run(first.id, " ")


def test_a_link_to_a_report_can_be_revoked(own):
    run = give_run(own)
    key = own.runs.share_run(run.id)
    assert own.runs.share_run(run.id) == key
    stored, results = own.runs.find_shared_run(key)
    assert (stored.id, results) == (run.id, (RESULT,))
    own.runs.unshare_run(run.id)
    assert own.runs.find_shared_run(key) is None
    assert own.runs.share_run(run.id) != key
    assert own.runs.find_shared_run("") is None


def test_text_that_cannot_be_stored_is_rejected(own):
    with pytest.raises(BadInput, match="NUL"):
        own.runs.create_run("a\0b", PLAN)


def test_the_arms_of_a_contract_are_found_newest_first(own):
    other = replace(PLAN.arms[0], label="other", contract_name="other")
    old = replace(PLAN.arms[0], label="old", contract_name="short@2", contract_text="old")
    plans = [replace(PLAN, arms=(*PLAN.arms, other)), replace(PLAN, arms=(old,))]
    runs = [own.runs.create_run(str(number), plan) for number, plan in enumerate(plans)]
    own.runs.save_result(runs[0].id, of(0))
    own.runs.save_result(runs[0].id, replace(RESULT, key="k", arm="other"))
    own.runs.save_result(runs[1].id, replace(RESULT, key="k", arm="old"))
    own.runs.create_run("no result yet", PLAN)
    newer, older = own.runs.arms_of("short")
    assert (newer.run_id, newer.arm, newer.title) == (runs[1].id, old, "1")
    assert (older.run_id, older.arm, older.results) == (runs[0].id, PLAN.arms[0], (of(0),))
    assert own.runs.arms_of("nowhere") == ()
    assert own.runs.arms_of("short", limit=1) == ()
