"""Suite runs of several servers with one database: one at a time for each owner, stopped from anywhere, taken over."""

from collections import Counter

import pytest
from sqlalchemy import text

from tests.app.servers.conftest import OpenServer, SharingServer
from tests.waiting import await_until
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.records.owner import LOCAL_OWNER, Owner, UserRole
from workbench.records.runs import RunState, StoredRun
from workbench.settings import Secret
from workbench.ui.tabs.active_runs import ActiveRuns

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]
SLOW = {"text": "Hello there, " * 4, "seconds_per_token": 0.02}


def runs_of(server: SharingServer) -> ActiveRuns:
    active_runs = ActiveRuns()
    active_runs.share(server.joined.runs)
    return active_runs


def stored_run(server: SharingServer, repeat: int = 1) -> StoredRun:
    services = server.services
    suite = load_suite(services, "nonsense")
    return begin_run(
        services, plan_run(services, RunRequest(suites=("nonsense",), limit=2, repeat=repeat), [suite])
    )


def state_of(server: SharingServer, stored: StoredRun) -> RunState:
    return find_run(server.services, stored.id).listed.state


def check_complete(server: SharingServer, stored: StoredRun) -> None:
    assert state_of(server, stored) is RunState.DONE
    keys = Counter(result.key for result in server.services.runs.results(stored.id))
    assert keys == Counter(job.key for job in stored.plan.jobs())


@pytest.mark.slow
def test_an_owner_has_one_run_on_all_servers_together(open_server: OpenServer) -> None:
    one, two = open_server(SLOW), open_server()
    first, second = runs_of(one), runs_of(two)
    stored = stored_run(one, repeat=4)
    assert first.begin(one.services, stored)
    assert second.is_busy(LOCAL_OWNER)
    assert second.is_busy(LOCAL_OWNER, stored.id)
    assert not second.is_busy(LOCAL_OWNER, "another")
    assert second.is_under_way(LOCAL_OWNER, stored)
    assert not second.is_busy(Owner(key="account:eve"))
    assert not second.begin(two.services, stored_run(two))
    await_until(lambda: not second.is_busy(LOCAL_OWNER))
    check_complete(two, stored)


def test_a_run_is_stopped_from_another_server(open_server: OpenServer) -> None:
    one, two = open_server(SLOW), open_server()
    first, second = runs_of(one), runs_of(two)
    stored = stored_run(one, repeat=50)
    assert first.begin(one.services, stored)
    second.stop(Owner(key="account:eve"))
    second.stop(LOCAL_OWNER, "another")
    second.stop(LOCAL_OWNER)
    await_until(lambda: not second.is_busy(LOCAL_OWNER))
    assert state_of(two, stored) is RunState.STOPPED


@pytest.mark.slow
def test_another_server_continues_the_run_of_one_that_closes(open_server: OpenServer) -> None:
    one, two = open_server(SLOW), open_server()
    first, second = runs_of(one), runs_of(two)
    stored = stored_run(one, repeat=6)
    assert first.begin(one.services, stored)
    await_until(lambda: one.services.runs.results(stored.id))
    first.stop_all()
    assert state_of(two, stored) is RunState.RUNNING
    one.joined.close()
    await_until(lambda: second.of(LOCAL_OWNER))
    await_until(lambda: not second.is_busy(LOCAL_OWNER))
    check_complete(two, stored)


def test_a_run_continues_with_the_permissions_of_its_owner(open_server: OpenServer) -> None:
    one, two = open_server(), open_server()
    found: list[Owner] = []
    member = Owner(key="browser:x", role=UserRole.VISITOR, address="192.0.2.1", is_passing=False)
    stored = begin_run(
        one.services.of(member),
        plan_run(
            one.services, RunRequest(suites=("nonsense",), limit=1), [load_suite(one.services, "nonsense")]
        ),
    )
    assert one.joined.runs.begin(member, stored.id, is_resumable=True)
    two.joined.runs.start(
        lambda services, _stored: found.append(services.owner), lambda _run: None, lambda: None
    )
    one.joined.close()
    await_until(lambda: found)
    assert (found[0], found[0].address) == (member, "192.0.2.1")


def test_a_run_with_a_visitor_s_token_is_not_continued(open_server: OpenServer) -> None:
    one, two = open_server(SLOW), open_server()
    first, second = runs_of(one), runs_of(two)
    stored = stored_run(one, repeat=6)
    assert first.begin(one.services, stored, Secret("hf_secret"))
    await_until(lambda: one.services.runs.results(stored.id))
    first.stop_all()
    one.joined.close()
    assert state_of(two, stored) is RunState.STOPPED
    with two.services.store._database.reading() as db:
        assert "hf_secret" not in str(db.connection().execute(text("SELECT * FROM live_run")).all())
    assert not second.is_busy(LOCAL_OWNER)


@pytest.mark.slow
def test_a_server_that_was_silent_leaves_its_run_to_others(open_server: OpenServer) -> None:
    one, two = open_server(SLOW), open_server()
    first, second = runs_of(one), runs_of(two)
    stored = stored_run(one, repeat=4)
    assert first.begin(one.services, stored)
    run = first.of(LOCAL_OWNER)
    assert run is not None
    with two.services.store._database.writing() as db:
        db.connection().execute(text("DELETE FROM server WHERE id = :id"), {"id": one.id})
    assert run.over.wait(30)
    await_until(lambda: not first.is_busy(LOCAL_OWNER) and not second.is_busy(LOCAL_OWNER))
    check_complete(two, stored)


def test_a_damaged_run_does_not_block_its_owner(open_server: OpenServer) -> None:
    one, two = open_server(), open_server()
    second = runs_of(two)
    stored = stored_run(one)
    assert one.joined.runs.begin(LOCAL_OWNER, stored.id, is_resumable=True)
    with two.services.store._database.writing() as db:
        db.connection().execute(text("UPDATE run SET plan = '{}' WHERE id = :id"), {"id": stored.id})
    one.joined.close()
    await_until(lambda: not second.is_busy(LOCAL_OWNER))
