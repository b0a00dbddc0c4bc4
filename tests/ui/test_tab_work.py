"""What a browser tab is busy with."""

import pytest

from tests.services import services_for
from workbench.app.running_turn import RunningTurn
from workbench.app.turn_request import TurnRequest
from workbench.rollout.ports import FinishReason
from workbench.ui.tabs.tab_work import TabWork


def test_a_tab_has_one_piece_of_work_at_a_time():
    work = TabWork()
    assert work.begin("a")
    assert not work.begin("a")
    assert work.begin("b")
    work.end("a")
    assert work.begin("a")


@pytest.mark.parametrize("way", ["stop", "end", "leave"])
def test_work_is_stopped_by_stop_by_end_and_by_leaving_the_tab(way):
    work = TabWork()
    work.begin("a")
    stop = work.stop_of("a")
    assert not stop()
    getattr(work, way)("a")
    assert stop()


def test_the_end_of_the_server_is_not_a_stop_by_a_person():
    work = TabWork()
    work.begin("a")
    work.stop_all()
    assert work.stop_of("a").reason is FinishReason.INTERRUPTED


def test_a_tab_without_work_counts_as_stopped():
    work = TabWork()
    work.stop("nobody")
    assert work.stop_of("nobody")()
    assert not work.is_running("nobody")


def test_a_tab_watches_the_last_thing_of_each_kind():
    work = TabWork()
    with work.watching("a") as first, work.watching("a", "comparison") as other, work.watching("a") as second:
        assert (first.is_set(), other.is_set(), second.is_set()) == (True, False, False)
        work.stop_watching("a", "comparison")
        assert other.is_set() and not second.is_set()
        work.leave("a")
        assert second.is_set()


def test_leaving_a_tab_does_not_stop_its_turn_and_a_repeated_message_is_recognized(tmp_path):
    with services_for(tmp_path) as (services, _):
        turn = RunningTurn(
            None,
            TurnRequest(setup=services.setup_for(), text="Hi"),
            now_s=services.calendar.seconds,
            approval_timeout_s=1.0,
        )
    work = TabWork()
    work.sent("a", turn)
    assert work.has_sent("a", "Hi") and not work.has_sent("a", "Hi!") and not work.has_sent("b", "Hi")
    work.leave("a")
    assert not turn.stop() and work.sent_by("a") is None
