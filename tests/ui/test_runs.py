"""What a browser tab is busy with."""

import pytest

from tests.services import services_for
from workbench.app.running_turn import RunningTurn
from workbench.app.turn_request import TurnRequest
from workbench.rollout.ports import FinishReason
from workbench.ui.tabs.play.runs import Runs


def test_a_tab_has_one_piece_of_work_at_a_time():
    runs = Runs()
    assert runs.begin("a")
    assert not runs.begin("a")
    assert runs.begin("b")
    runs.end("a")
    assert runs.begin("a")


@pytest.mark.parametrize("way", ["stop", "end", "leave"])
def test_work_is_stopped_by_stop_by_end_and_by_leaving_the_tab(way):
    runs = Runs()
    runs.begin("a")
    stop = runs.stop_of("a")
    assert not stop()
    getattr(runs, way)("a")
    assert stop()


def test_the_end_of_the_server_is_not_a_stop_by_a_person():
    runs = Runs()
    runs.begin("a")
    runs.stop_all()
    assert runs.stop_of("a").reason is FinishReason.INTERRUPTED


def test_a_tab_without_work_counts_as_stopped():
    runs = Runs()
    runs.stop("nobody")
    assert runs.stop_of("nobody")()
    assert not runs.is_running("nobody")


def test_a_tab_watches_the_last_thing_of_each_kind():
    runs = Runs()
    with runs.watching("a") as first, runs.watching("a", "comparison") as other, runs.watching("a") as second:
        assert (first.is_set(), other.is_set(), second.is_set()) == (True, False, False)
        runs.stop_watching("a", "comparison")
        assert other.is_set() and not second.is_set()
        runs.leave("a")
        assert second.is_set()


def test_leaving_a_tab_does_not_stop_its_turn_and_a_repeated_message_is_recognized(tmp_path):
    with services_for(tmp_path) as (services, _):
        turn = RunningTurn(
            None,
            TurnRequest(setup=services.setup_for(), text="Hi"),
            now_s=services.calendar.seconds,
            approval_timeout_s=1.0,
        )
    runs = Runs()
    runs.sent("a", turn)
    assert runs.has_sent("a", "Hi") and not runs.has_sent("a", "Hi!") and not runs.has_sent("b", "Hi")
    runs.leave("a")
    assert not turn.stop() and runs.sent_by("a") is None
