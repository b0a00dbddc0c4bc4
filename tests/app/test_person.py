"""Questions of a turn to the user."""

from threading import Event, Thread

from workbench.app.person import Person, PersonAnswered, PersonAwaited
from workbench.chat.message import ToolCall
from workbench.rollout.ports import Approval, ApprovalQuestion, FinishReason
from workbench.rollout.steps import Step, StepKind
from workbench.rollout.stopping import StopSignal

CALL = ToolCall(name="f", arguments={})
QUESTION = ApprovalQuestion(call=CALL, reasons=("recursive delete",))


def ask_in_thread(person, waiting, ask):
    """Return the answer of `ask`, once the page shows the question."""
    answers = []
    thread = Thread(target=lambda: answers.append(ask()))
    thread.start()
    assert waiting.wait(5)
    return thread, answers


def test_a_question_is_shown_and_answered_by_a_button():
    events, waiting = [], Event()
    person = Person(lambda event: (events.append(event), waiting.set()), stop=StopSignal(), timeout_s=60)
    assert not person.answer(1, Approval.ALWAYS)  # pressed before the question, so it must not count
    thread, answers = ask_in_thread(person, waiting, lambda: person.ask(QUESTION))
    assert not person.answer(2, Approval.ALWAYS)
    assert person.answer(1, Approval.SESSION)
    assert not person.answer(1, Approval.ALWAYS)
    thread.join(5)
    assert answers == [Approval.SESSION]
    assert events == [PersonAwaited(call=CALL, reasons=("recursive delete",), question=1), PersonAnswered()]


def test_a_timeout_or_a_stop_counts_as_a_refusal():
    assert Person(lambda event: None, stop=StopSignal(), timeout_s=0).ask(QUESTION) is Approval.DENY
    for reason, text in (
        (FinishReason.CANCELLED, "stopped by the user"),
        (FinishReason.INTERRUPTED, "nobody answered in time"),
    ):
        stop = StopSignal()
        stop.set(reason)
        stopped = Person(lambda event: None, stop=stop, timeout_s=60)
        assert stopped.ask(QUESTION) is Approval.DENY
        assert stopped.step(CALL) == Step(kind=StepKind.FAIL, text=text)


def test_an_answer_of_the_wrong_kind_counts_as_a_refusal():
    waiting = Event()
    person = Person(lambda event: waiting.set(), stop=StopSignal(), timeout_s=60)
    thread, answers = ask_in_thread(person, waiting, lambda: person.ask(QUESTION))
    assert person.answer(1, Step())
    thread.join(5)
    assert answers == [Approval.DENY]
