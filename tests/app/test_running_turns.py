"""Turns that run on the server, with any number of watchers."""

import json
import time
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app import person
from workbench.app.person import PersonAwaited
from workbench.app.running_turn import condense_turn
from workbench.app.tasks import LoggedEvent
from workbench.app.turn_request import Execution, MessageStored, ResumePoint, TurnRequest
from workbench.app.turns import run_turn, running_turn, start_turn
from workbench.errors import BadInput, EngineError
from workbench.records.owner import Owner
from workbench.rollout.events import CompletionEnded, PieceArrived, QueuePositionChanged
from workbench.rollout.ports import FinishReason
from workbench.rollout.steps import Step, StepKind
from workbench.ui.present.live import LiveRound
from workbench.ui.tabs.play.watching import live_after

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
SLOW = {"text": "word " * 2000, "seconds_per_token": 0.01}


def ended(turn):
    assert turn.over.wait(20)
    return turn


def wait_for(turn, kind):
    """Watch a turn until it reports an event of this kind, then leave."""
    with turn.watched() as batches:
        for batch in batches:
            for event in batch.events:
                if isinstance(event, kind):
                    return event
    raise AssertionError(kind)


def last_of(services, turn):
    return services.sessions.path(turn.subject)[-1]


def test_a_turn_that_nobody_watches_runs_to_its_end(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, _):
        turn = ended(start_turn(services, TurnRequest(setup=services.setup_for(), text="Cairo?")))
        roles = [stored.message.role.value for stored in services.sessions.path(turn.subject)]
        assert roles == ["system", "user", "assistant", "tool", "assistant"]
        assert turn.error is None


def test_a_session_has_one_running_turn_which_only_its_owner_sees(tmp_path):
    with services_for(tmp_path, SLOW, "Next.") as (services, _):
        setup = services.setup_for()
        turn = start_turn(services, TurnRequest(setup=setup, text="Go on"))
        wait_for(turn, MessageStored)
        assert running_turn(services, turn.subject) is turn
        assert running_turn(services.of(Owner(key="account:bob", name="bob")), turn.subject) is None
        with pytest.raises(BadInput, match="an answer is being written"):
            start_turn(services, TurnRequest(setup=setup, session_id=turn.subject, text="And?"))
        turn.stop.set()
        ended(turn)
        again = TurnRequest(setup=setup, session_id=turn.subject, text="And?")
        assert list(start_turn(services, again).events())[-1].reason == "answered"


@pytest.mark.parametrize(
    "reason", [FinishReason.CANCELLED, FinishReason.TIMEOUT, FinishReason.INTERRUPTED], ids=str
)
def test_the_stored_answer_says_why_it_was_stopped(tmp_path, reason):
    with services_for(tmp_path, SLOW) as (services, _):
        turn = start_turn(services, TurnRequest(setup=services.setup_for(), text="Go on"))
        wait_for(turn, PieceArrived)
        turn.stop.set(reason)
        last = last_of(services, ended(turn))
        assert last.message.text.startswith("word")
        assert last.generation.finish_reason is reason
        problem = list(turn.events())[-1].problem
        assert bool(problem) == (reason is not FinishReason.CANCELLED)


def test_the_text_of_a_turn_that_could_not_begin_is_given_back_once(tmp_path):
    with services_for(tmp_path) as (services, _):
        setup = replace(services.setup_for(), model=str(tmp_path / "nowhere.gguf"))
        turn = start_turn(services, TurnRequest(setup=setup, text="Keep me"))
        with pytest.raises(EngineError):
            list(turn.events())
        assert services.sessions.find_session(turn.subject) is None
        assert (turn.take_unsent(), turn.take_unsent()) == ("Keep me", "")


def test_limits_are_checked_before_the_turn_starts(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        space = replace(services, settings=replace(services.settings, is_on_space=True))
        with pytest.raises(BadInput, match="message: 200,001 characters"):
            start_turn(space, TurnRequest(setup=services.setup_for(), text="x" * 200_001))
        with pytest.raises(BadInput, match="samples"):
            start_turn(space, TurnRequest(setup=services.setup_for(), text="x", samples=16))
        assert services.sessions.list_sessions() == ()


def test_a_step_is_answered_by_its_number_and_a_late_answer_is_refused(tmp_path):
    with services_for(tmp_path, CALL, CALL, "Done.") as (services, _):
        request = TurnRequest(setup=services.setup_for(), text="Cairo?", execution=Execution.STEP)
        turn = start_turn(services, request)
        first = wait_for(turn, PersonAwaited)
        assert turn.person.answer(first.question, Step(kind=StepKind.WRITE, text='{"reading": 1}'))
        # The same question answered in another tab, and the next question answered by a page that has not seen it.
        assert not turn.person.answer(first.question, Step(kind=StepKind.FAIL, text="late"))
        until = time.monotonic() + 10
        while not turn.person.answer(first.question + 1, Step()) and time.monotonic() < until:
            time.sleep(0.02)
        ended(turn)
        results = [s.message.text for s in services.sessions.path(turn.subject) if s.tool_run]
        assert results[0] == '{"reading": 1}'
        assert json.loads(results[1])["reading"] == 31


def test_a_step_that_nobody_sees_ends_the_turn_after_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(person, "ABANDONED_S", 0.3)
    with services_for(tmp_path, CALL, "Never.") as (services, _):
        request = TurnRequest(setup=services.setup_for(), text="Cairo?", execution=Execution.STEP)
        turn = start_turn(services, request)
        with turn.watched():
            time.sleep(0.6)
            assert not turn.over.is_set()
        ended(turn)
        assert list(turn.events())[-1].reason == "timeout"
        assert "nobody answered in time" in last_of(services, turn).message.text


def test_a_stop_before_the_session_exists_creates_none(tmp_path, monkeypatch):
    with services_for(tmp_path, "Hello.") as (services, _):
        setup = services.setup_for()
        turn = start_turn(services, TurnRequest(setup=setup, text="Hi"))
        ended(turn)
        resumed = TurnRequest(
            setup=setup,
            session_id=turn.subject,
            resume=ResumePoint(message_id=services.sessions.path(turn.subject)[1].id, is_answer=True),
            samples=2,
        )
        assert (
            len(list(filter(lambda e: isinstance(e, MessageStored), start_turn(services, resumed).events())))
            == 2
        )


def test_condensed_events_show_the_same_as_all_events(tmp_path):
    with services_for(tmp_path, CALL, "It is 31 in Cairo.") as (services, _):
        turn = ended(start_turn(services, TurnRequest(setup=services.setup_for(), text="Cairo?")))
    events = [LoggedEvent(event=QueuePositionChanged(place=3), at_s=0.0)]
    events += [LoggedEvent(event=event, at_s=float(place)) for place, event in enumerate(turn.events(), 1)]
    for end in range(1, len(events)):
        shown, condensed = LiveRound(), LiveRound()
        for entry in events[:end]:
            shown = live_after(shown, entry)
        kept = condense_turn(condense_turn(events[: end // 2]) + events[end // 2 : end])
        for entry in kept:
            condensed = live_after(condensed, entry)
        assert condensed.show(now_s=99.0) == shown.show(now_s=99.0), end
        assert sum(isinstance(entry.event, PieceArrived) for entry in kept) <= 2
        assert sum(isinstance(entry.event, CompletionEnded) for entry in kept) <= 1


def test_a_session_can_be_created_with_an_id(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        request = TurnRequest(setup=services.setup_for(), new_session_id="ab" * 16, text="Hi")
        list(run_turn(services, request))
        assert services.sessions.path("ab" * 16)[-1].message.text == "Hello."
