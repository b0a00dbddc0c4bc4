"""A run whose process was killed is interrupted wherever it is read, and no run is executed twice."""

import os
import signal
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from typing import Any

import psutil
import pytest

from tests.served import PROCESSES
from tests.store.opening import ELSEWHERE, change
from tests.store.runs.examples import PLAN, RESULT
from tests.waiting import await_until
from workbench.errors import BadInput, StoreError, WorkbenchError
from workbench.records.owner import LOCAL_OWNER
from workbench.records.runs import RunState
from workbench.store.store import OwnedStore, Store

PATIENCE_S = 60.0


def run_runs(url: str, pipe: Connection) -> None:
    """Do what arrives through a pipe, and answer with the id of the run or with the error."""
    store = Store(url)
    runs = store.of(LOCAL_OWNER).runs
    while True:
        word, _, run_id = pipe.recv().partition(" ")
        try:
            if word == "create":
                run_id = runs.create_run("x", PLAN).id
            if word == "join":
                assert store.servers
                store.servers.join("a")
            if word == "begin":
                runs.begin_run(run_id)
        except WorkbenchError as error:
            pipe.send(str(error))
        else:
            pipe.send(run_id)


def start_runner(url: str, pipe: Connection) -> None:
    """Start a process that runs runs, and never wait for it: once it is killed, it is a zombie.

    So it is in a container whose first process waits for no children.
    """
    started = os.fork()
    if started:
        pipe.send(started)
        signal.pause()
    run_runs(url, pipe)


class Runner:
    """Another process that runs runs."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.process = psutil.Process(self.answer())

    def answer(self) -> Any:
        assert self.pipe.poll(PATIENCE_S)
        return self.pipe.recv()

    def tell(self, line: str) -> str:
        self.pipe.send(line)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        await_until(lambda: self.process.status() == psutil.STATUS_ZOMBIE)


@contextmanager
def another_process(url: str) -> Generator[Runner]:
    ours, theirs = PROCESSES.Pipe()
    parent = PROCESSES.Process(target=start_runner, args=(url, theirs))
    parent.start()
    theirs.close()
    try:
        with closing(ours):
            runner = Runner(ours)
            yield runner
            runner.process.kill()
    finally:
        parent.kill()
        parent.join()


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


@pytest.mark.slow
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
            runner.pipe.send(f"begin {run_id}")
        answers = {runner.answer() for runner in (one, two)}
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
