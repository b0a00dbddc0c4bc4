"""A run whose process was killed is interrupted wherever it is read, and no run is executed twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager

import pytest

from tests.store.opening import ELSEWHERE, change
from tests.store.runs.examples import PLAN, RESULT
from workbench.errors import BadInput, StoreError
from workbench.records.owner import LOCAL_OWNER
from workbench.records.runs import RunState
from workbench.store.store import OwnedStore, Store

RUN = """
import sys, time
from tests.store.opening import ELSEWHERE, change
from tests.store.runs.examples import PLAN
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store

store = Store(sys.argv[1])
runs = store.of(LOCAL_OWNER).runs
for arrived in sys.stdin:
    word, _, run_id = arrived.strip().partition(" ")
    try:
        if word == "create":
            run_id = runs.create_run("x", PLAN).id
        if word == "join":
            store.servers.join("a")
        if word == "begin":
            runs.begin_run(run_id)
    except Exception as error:
        print(error, flush=True)
    else:
        print(run_id, flush=True)
"""


class Runner:
    """Another process that runs runs."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def tell(self, line: str) -> str:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        # The process is now a zombie, as in a container whose first process waits for no children.
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)


@contextmanager
def another_process(url: str) -> Generator[Runner]:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield Runner(process)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def shared(url: str) -> Iterator[Store]:
    with closing(Store(url)) as store:
        yield store


@pytest.fixture
def own(shared: Store) -> OwnedStore:
    return shared.of(LOCAL_OWNER)


@pytest.fixture
def other(url: str) -> Iterator[Runner]:
    with another_process(url) as runner:
        yield runner


def states_of(own: OwnedStore, run_id: str) -> set[RunState]:
    """The state of a run in each way of reading it."""
    own.runs.share_run(run_id)
    found = own.runs.find_run(run_id)
    assert found is not None
    shared = own.runs.find_shared_run(found.listed.share_key or "")
    assert shared is not None
    listed = [run.state for run in own.runs.list_runs() if run.id == run_id]
    own.runs.delete_run(run_id)
    deleted = [run.state for run in own.runs.list_runs(is_deleted=True)]
    own.runs.restore_run(run_id)
    return {found.listed.state, shared[0].listed.state, *listed, *deleted}


@pytest.mark.parametrize("has_started", [False, True])
def test_a_run_is_interrupted_as_soon_as_its_process_is_killed(
    own: OwnedStore, other: Runner, *, has_started: bool
) -> None:
    run_id = other.tell("create")
    if has_started:
        assert other.tell(f"begin {run_id}") == run_id
    assert states_of(own, run_id) == {RunState.RUNNING}
    other.kill()
    assert states_of(own, run_id) == {RunState.INTERRUPTED}
    own.runs.begin_run(run_id)
    assert states_of(own, run_id) == {RunState.RUNNING}
    own.runs.end_run(run_id, RunState.DONE)
    assert states_of(own, run_id) == {RunState.DONE}


def test_a_run_of_another_process_is_not_started(url: str, own: OwnedStore, other: Runner) -> None:
    run_id = other.tell("create")
    other.tell(f"begin {run_id}")
    with pytest.raises(BadInput, match="in progress already"):
        own.runs.begin_run(run_id)
    other.kill()
    with another_process(url) as third:
        assert third.tell(f"begin {run_id}") == run_id
        with pytest.raises(BadInput, match="in progress already"):
            own.runs.begin_run(run_id)
        with pytest.raises(StoreError, match="another process continues it"):
            own.runs.end_run(run_id, RunState.STOPPED)
        with pytest.raises(StoreError, match="another process continues it"):
            own.runs.save_result(run_id, RESULT)


def test_a_run_has_started_once_in_a_process(own: OwnedStore) -> None:
    run_id = own.runs.create_run("x", PLAN).id
    own.runs.begin_run(run_id)
    with pytest.raises(BadInput, match="in progress already"):
        own.runs.begin_run(run_id)
    own.runs.end_run(run_id, RunState.STOPPED)
    own.runs.begin_run(run_id)


def test_only_one_of_several_processes_continues_a_run(url: str, other: Runner) -> None:
    run_id = other.tell("create")
    other.kill()
    with another_process(url) as one, another_process(url) as two:
        for runner in (one, two):
            assert runner.process.stdin
            runner.process.stdin.write(f"begin {run_id}\n")
            runner.process.stdin.flush()
        answers = {runner.process.stdout.readline().strip() for runner in (one, two) if runner.process.stdout}
    assert run_id in answers
    assert len(answers) == 2


def test_a_run_of_an_earlier_version_is_interrupted(shared: Store, own: OwnedStore) -> None:
    run_id = own.runs.create_run("x", PLAN).id
    change(shared, "UPDATE run SET writer = NULL")
    assert states_of(own, run_id) == {RunState.INTERRUPTED}


def test_a_silent_process_on_another_machine_has_ended(shared: Store, own: OwnedStore) -> None:
    run_id = own.runs.create_run("x", PLAN).id
    change(shared, f"UPDATE run SET writer = '{ELSEWHERE}'")
    assert states_of(own, run_id) == {RunState.RUNNING}
    change(shared, "UPDATE run SET updated_at = '2026-01-01 00:00:00+00:00'")
    assert states_of(own, run_id) == {RunState.INTERRUPTED}
