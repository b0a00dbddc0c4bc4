"""Turns that run in their own threads."""

from threading import Event

import pytest

from workbench.ui.tabs.play.runs import Runs, run_in_thread


def test_events_arrive_in_order():
    assert [event for batch in run_in_thread(lambda report: iter(range(100))) for event in batch] == list(
        range(100)
    )


def test_events_before_an_error_arrive_first():
    def play(report):
        yield 1
        raise ValueError("broken")

    batches = run_in_thread(play)
    assert next(batches) == [1]
    with pytest.raises(ValueError, match="broken"):
        next(batches)


def test_a_consumer_that_stops_reading_does_not_end_the_turn():
    released, is_over = Event(), Event()

    def play(report):
        yield 1
        assert released.wait(5)
        yield 2
        is_over.set()

    batches = run_in_thread(play)
    assert next(batches) == [1]
    batches.close()
    released.set()
    assert is_over.wait(5)


def test_a_tab_has_one_turn_at_a_time():
    runs = Runs()
    assert runs.begin("a")
    assert not runs.begin("a")
    assert runs.begin("b")
    runs.end("a")
    assert runs.begin("a")


def test_a_turn_is_stopped_by_stop_by_leaving_the_tab_and_by_end():
    for way in ("stop", "end"):
        runs = Runs()
        runs.begin("a")
        stop = runs.stop_of("a")
        assert not stop.is_set()
        getattr(runs, way)("a")
        assert stop.is_set()
    runs = Runs()
    runs.begin("a")
    runs.stop_all()
    assert runs.stop_of("a").is_set()


def test_a_tab_without_a_turn_counts_as_stopped():
    runs = Runs()
    runs.stop("nobody")
    assert runs.stop_of("nobody").is_set()
    assert not runs.is_running("nobody")


def test_work_can_report_events_between_those_that_it_yields():
    def play(report):
        yield 1
        report(2)
        yield 3

    assert [event for batch in run_in_thread(play) for event in batch] == [1, 2, 3]
