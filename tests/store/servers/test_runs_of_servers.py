"""The state of runs whose servers share a database."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.postgres import TEMPLATE, Server
from tests.store.opening import ELSEWHERE, change, url_of
from tests.store.runs.examples import PLAN
from tests.store.runs.test_killed_runs import another_process, states_of
from workbench.records.owner import LOCAL_OWNER
from workbench.records.runs import RunState
from workbench.store.servers.live_work import LiveRun
from workbench.store.store import OwnedStore, Store

pytestmark = pytest.mark.postgres
SILENT = "UPDATE server SET beat_at = now() - interval '{} s'"
LONG_AGO = "UPDATE run SET updated_at = '2026-01-01 00:00:00+00:00'"


@pytest.fixture
def shared(postgres: Server) -> Iterator[Store]:
    with postgres.database(TEMPLATE) as url, closing(Store(url)) as store:
        yield store


@pytest.fixture
def own(shared: Store) -> OwnedStore:
    return shared.of(LOCAL_OWNER)


def test_a_run_of_a_living_server_on_another_machine_is_running(shared: Store, own: OwnedStore) -> None:
    assert shared.servers
    shared.servers.join("a")
    run_id = own.runs.create_run("x", PLAN).id
    change(shared, f"UPDATE run SET writer = '{ELSEWHERE}'")
    change(shared, f"UPDATE server SET writer = '{ELSEWHERE}'")
    change(shared, LONG_AGO)
    assert states_of(own, run_id) == {RunState.RUNNING}
    change(shared, SILENT.format(25))
    assert states_of(own, run_id) == {RunState.INTERRUPTED}


@pytest.mark.slow
def test_a_run_of_a_killed_server_on_this_machine_is_interrupted(shared: Store, own: OwnedStore) -> None:
    url = url_of(shared)
    with another_process(url) as other:
        other.tell("join")
        run_id = other.tell("create")
        assert states_of(own, run_id) == {RunState.RUNNING}
        other.kill()
    # Another container with the same host name may still run it.
    assert states_of(own, run_id) == {RunState.RUNNING}
    change(shared, SILENT.format(8))
    assert states_of(own, run_id) == {RunState.INTERRUPTED}


@pytest.mark.parametrize(("person", "state"), [({}, RunState.RUNNING), (None, RunState.INTERRUPTED)])
def test_a_run_that_a_living_server_will_continue_is_running(
    shared: Store, own: OwnedStore, person: dict[str, str] | None, state: RunState
) -> None:
    assert shared.servers
    run_id = own.runs.create_run("x", PLAN).id
    change(shared, f"UPDATE run SET writer = '{ELSEWHERE}'")
    change(shared, LONG_AGO)
    assert shared.live_work.begin_run(None, LiveRun(run_id=run_id, server_id="gone", person=person))
    assert states_of(own, run_id) == {RunState.INTERRUPTED}
    shared.servers.join("b")
    assert states_of(own, run_id) == {state}
