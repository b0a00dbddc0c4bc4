"""Questions of a turn to the user."""

from threading import Event, Thread

from workbench.chat.message import ToolCall
from workbench.rollout.ports import Approval, ApprovalQuestion
from workbench.rollout.steps import Step, StepKind
from workbench.ui.tabs.play.person import Person, PersonAnswered, PersonAwaited

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
    person = Person(
        lambda event: (events.append(event), waiting.set()), is_stopped=lambda: False, timeout_s=60
    )
    person.answer(Approval.ALWAYS)  # pressed before the question, so it must not count
    thread, answers = ask_in_thread(person, waiting, lambda: person.ask(QUESTION))
    person.answer(Approval.SESSION)
    thread.join(5)
    assert answers == [Approval.SESSION]
    assert events == [PersonAwaited(call=CALL, reasons=("recursive delete",)), PersonAnswered()]


def test_a_timeout_or_a_stop_counts_as_a_refusal():
    assert Person(lambda event: None, is_stopped=lambda: False, timeout_s=0).ask(QUESTION) is Approval.DENY
    stopped = Person(lambda event: None, is_stopped=lambda: True, timeout_s=60)
    assert stopped.ask(QUESTION) is Approval.DENY
    assert stopped.step(CALL) == Step(kind=StepKind.FAIL, text="stopped by the user")


def test_an_answer_of_the_wrong_kind_counts_as_a_refusal():
    waiting = Event()
    person = Person(lambda event: waiting.set(), is_stopped=lambda: False, timeout_s=60)
    thread, answers = ask_in_thread(person, waiting, lambda: person.ask(QUESTION))
    person.answer(Step())
    thread.join(5)
    assert answers == [Approval.DENY]
