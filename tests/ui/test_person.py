"""Questions of a turn to the user."""

from threading import Event, Thread

from workbench.chat.message import ToolCall
from workbench.rollout.ports import Approval, ApprovalQuestion
from workbench.rollout.steps import Step, StepKind
from workbench.ui.tabs.play.person import Person, PersonAnswered, PersonAwaited

CALL = ToolCall(name="f", arguments={})
QUESTION = ApprovalQuestion(call=CALL, reasons=("recursive delete",))


def asked(person, waiting, ask):
    """Return the answer of `ask`, once the page shows the question."""
    made = []
    thread = Thread(target=lambda: made.append(ask()))
    thread.start()
    assert waiting.wait(5)
    return thread, made


def test_a_question_is_shown_and_answered_by_a_button():
    told, waiting = [], Event()
    person = Person(lambda one: (told.append(one), waiting.set()), is_stopped=lambda: False, timeout_s=60)
    person.answer(Approval.ALWAYS)  # pressed before anyone asked: it must not count
    thread, made = asked(person, waiting, lambda: person.ask(QUESTION))
    person.answer(Approval.SESSION)
    thread.join(5)
    assert made == [Approval.SESSION]
    assert told == [PersonAwaited(call=CALL, reasons=("recursive delete",)), PersonAnswered()]


def test_a_timeout_or_a_stop_counts_as_a_refusal():
    assert Person(lambda one: None, is_stopped=lambda: False, timeout_s=0).ask(QUESTION) is Approval.DENY
    stopped = Person(lambda one: None, is_stopped=lambda: True, timeout_s=60)
    assert stopped.ask(QUESTION) is Approval.DENY
    assert stopped.step(CALL) == Step(kind=StepKind.FAIL, text="stopped by the user")


def test_an_answer_of_the_wrong_kind_counts_as_a_refusal():
    waiting = Event()
    person = Person(lambda one: waiting.set(), is_stopped=lambda: False, timeout_s=60)
    thread, made = asked(person, waiting, lambda: person.ask(QUESTION))
    person.answer(Step())
    thread.join(5)
    assert made == [Approval.DENY]
