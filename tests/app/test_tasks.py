"""Work in its own thread: its log, several watchers, limits, stopping and the server's end."""

import time
from dataclasses import replace
from threading import Event, Thread

import pytest

from tests.services import services_for
from workbench.app import tasks
from workbench.app.tasks import MOST_WATCHERS, TAIL, EventLog, LoggedEvent, RunningTask, RunningTasks
from workbench.errors import BadInput
from workbench.records.limits import SPACE
from workbench.rollout.ports import FinishReason


def counted(logged):
    """Condense numbers into their sum."""
    return [LoggedEvent(event=sum(entry.event for entry in logged), at_s=0.0, count=len(logged))]


@pytest.fixture
def log():
    return EventLog(counted, time.monotonic)


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path) as (services, _):
        yield services


def task_of(services, subject="s"):
    return RunningTask(services.owner.key, subject, counted, now_s=time.monotonic)


def busy():
    return RunningTasks("this session", "busy", "wait")


def read_all(log, gone=None):
    return [event for batch in log.follow(gone) for event in batch.events]


def test_events_arrive_in_order_and_a_late_watcher_gets_all_of_them(log):
    for number in range(100):
        log.add(number)
    log.end()
    assert read_all(log) == list(range(100)) == read_all(log)


def test_watchers_read_at_their_own_pace_while_events_are_added(log):
    found = {}
    threads = [Thread(target=lambda name=name: found.update({name: read_all(log)})) for name in range(4)]
    for number in range(50):
        if number in (0, 10, 20, 49):
            threads[(0, 10, 20, 49).index(number)].start()
        log.add(number)
    log.end()
    for thread in threads:
        thread.join(10)
    assert list(found.values()) == [list(range(50))] * 4


def test_an_error_follows_the_events_before_it(log):
    log.add(1)
    log.end(ValueError("broken"))
    batches = log.follow()
    assert next(batches).events == [1]
    with pytest.raises(ValueError, match="broken"):
        next(batches)


def test_old_events_are_condensed_and_a_watcher_that_fell_behind_starts_again(log):
    count = 5 * TAIL
    log.add(0)
    slow = log.follow()
    first = next(slow)
    for number in range(1, count):
        log.add(number)
    log.end()
    batch = next(slow)
    assert (first.is_restart, batch.is_restart) == (True, True)
    assert len(batch.logged) <= 2 * TAIL + 1
    assert sum(batch.events) == sum(range(count))
    assert sum(entry.count for entry in batch.logged) <= count
    assert list(slow) == []


def test_a_watcher_within_the_tail_goes_on_where_it_was(log):
    for number in range(2 * TAIL - 10):
        log.add(number)
    watcher = log.follow()
    next(watcher)
    for number in range(20):
        log.add(number)
    log.end()
    batch = next(watcher)
    assert (batch.is_restart, list(batch.events)) == (False, list(range(20)))


def test_a_watcher_that_leaves_ends_nothing(services):
    running, released = busy(), Event()
    task = task_of(services)

    def work(_services):
        yield 1
        assert released.wait(5)
        yield 2

    running.start(services.at_work(), task, work)
    gone = Event()
    with task.watched(gone) as batches:
        assert next(batches).events == [1]
        gone.set()
        assert list(batches) == []
    assert running.running(services.owner.key, "s") is task
    released.set()
    assert list(task.events()) == [1, 2]
    assert running.running(services.owner.key, "s") is None
    assert running.find(services.owner.key, "s") is task


def test_a_subject_has_one_task_at_a_time_and_only_its_owner_finds_it(services):
    running, task, released = busy(), task_of(services), Event()
    running.start(services.at_work(), task, lambda _: iter([released.wait(5)]))
    with pytest.raises(BadInput, match="this session: busy"):
        running.start(services.at_work(), task_of(services), lambda _: iter(()))
    running.start(services.at_work(), task_of(services, "other"), lambda _: iter(()))
    assert running.find("somebody else", "s") is None
    released.set()
    assert task.over.wait(5)
    list(running.start(services.at_work(), task_of(services), lambda _: iter(())).events())


def test_tasks_without_watchers_count_towards_the_limit_until_they_end(services):
    released = Event()
    team = replace(services, settings=replace(services.settings, is_on_space=True))
    limit = SPACE.turns_at_once
    running = busy()
    started = [
        running.start(team.at_work(), task_of(team, str(number)), lambda _: iter([released.wait(5)]))
        for number in range(limit)
    ]
    with pytest.raises(BadInput, match=f"{limit} turns running or waiting"):
        running.start(team.at_work(), task_of(team, "one more"), lambda _: iter(()))
    assert running.find(team.owner.key, "one more") is None
    released.set()
    for task in started:
        list(task.events())
    list(running.start(team.at_work(), task_of(team, "one more"), lambda _: iter(())).events())


def test_too_many_watchers_replace_the_oldest(services):
    task = task_of(services)
    flags = [Event() for _ in range(MOST_WATCHERS + 2)]
    contexts = [task.watched(gone) for gone in flags]
    for context in contexts:
        context.__enter__()
    assert [gone.is_set() for gone in flags] == [True, True, *[False] * MOST_WATCHERS]
    for context in contexts:
        context.__exit__(None, None, None)


def test_the_time_without_a_watcher_is_known(services):
    task = task_of(services)
    time.sleep(0.01)
    assert task.unwatched_s > 0
    with task.watched():
        assert task.unwatched_s == 0
    assert 0 <= task.unwatched_s < 5


def test_the_end_of_the_server_stops_all_tasks_with_its_own_reason(services, monkeypatch):
    monkeypatch.setattr(tasks, "CLOSING_S", 0.2)
    running, task, stuck, released = busy(), task_of(services), task_of(services, "stuck"), Event()

    def work(_services):
        while not task.stop():
            time.sleep(0.01)
        yield task.stop.reason

    running.start(services.at_work(), task, work)
    running.start(services.at_work(), stuck, lambda _: iter([released.wait(5)]))
    running.stop_all()
    assert list(task.events()) == [FinishReason.INTERRUPTED]
    assert not stuck.over.is_set()
    released.set()


def test_ended_tasks_are_forgotten_after_a_while(services, monkeypatch):
    monkeypatch.setattr(tasks, "MOST_ENDED", 2)
    running = busy()
    for number in range(5):
        list(running.start(services.at_work(), task_of(services, str(number)), lambda _: iter(())).events())
    found = [running.find(services.owner.key, str(number)) is not None for number in range(5)]
    assert found == [False, False, True, True, True]


def test_an_error_in_the_work_reaches_every_watcher_and_frees_the_subject(services):
    running = busy()

    def work(_services):
        yield 1
        raise BadInput("a", "b")

    task = running.start(services.at_work(), task_of(services), work)
    for _ in range(2):
        with pytest.raises(BadInput, match="a: b"):
            list(task.events())
    assert isinstance(task.error, BadInput)
    list(running.start(services.at_work(), task_of(services), lambda _: iter(())).events())
