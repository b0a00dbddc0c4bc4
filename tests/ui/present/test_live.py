"""The live pane, from the events of a turn."""

from tests.store.examples import GENERATION
from workbench.chat.message import Message, Role
from workbench.hermes.parse import parse
from workbench.hermes.prompt_writer import Prompt
from workbench.rollout.events import CompletionEnded, PieceArrived, QueuePositionChanged, RoundStarted
from workbench.ui.present.live import LiveRound, LiveView, show_note

STARTED = RoundStarted(
    number=1,
    limit=8,
    prompt=Prompt(text="", parts=(), marks=()),
    is_exact=True,
    generation=GENERATION,
)


def _after(*events):
    live = LiveRound()
    for second, event in enumerate(events):
        live = live.after(event, now_s=float(second))
    return live


def test_the_note_says_reading_the_prompt_until_the_model_writes():
    assert _after(STARTED).show(now_s=1.0).note == "round 1 of 8 · reading the prompt"


def test_a_prefill_does_not_count_for_the_speed():
    live = _after(STARTED, PieceArrived(text="<tool_call>\n"))
    assert live.show(now_s=9.0).note == "round 1 of 8 · reading the prompt"
    assert [piece.text for piece in live.show(now_s=9.0).pieces] == ["<tool_call>", "\n"]


def test_the_speed_is_measured_from_the_first_piece():
    live = _after(STARTED, *(PieceArrived(text="a") for _ in range(11)))
    assert live.show(now_s=11.0).note == "round 1 of 8 · 1.0 pieces/s"
    assert "".join(piece.text for piece in live.show(now_s=11.0).pieces) == "a" * 11


def test_a_new_round_starts_empty():
    assert _after(STARTED, PieceArrived(text="a"), STARTED).show(now_s=9.0).pieces == ()


def test_the_tool_of_a_call_in_progress_is_named():
    live = _after(STARTED, PieceArrived(text='<tool_call>{"name": "f", "arguments": {'))
    assert live.show(now_s=1.0).note.startswith("round 1 of 8 · calling f")


def _ended(text):
    message = Message(role=Role.ASSISTANT, text=text)
    return CompletionEnded(message=message, reading=parse(text), generation=GENERATION)


def test_a_completion_without_calls_runs_none():
    note = _after(STARTED, PieceArrived(text="a"), _ended("a")).show(now_s=3.0).note
    assert note == "round 1 of 8 · saving the answer"


def test_after_a_completion_calls_run_or_wait_for_a_person():
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    running = _after(STARTED, PieceArrived(text="a"), _ended(call))
    assert running.show(now_s=3.0).note == "round 1 of 8 · running the calls"
    held_round = running.waits_for_person("rm")
    assert held_round.show(now_s=3.0).note == "round 1 of 8 · waiting for you: call to rm"
    assert held_round.resumed().show(now_s=3.0).note == "round 1 of 8 · running the calls"


def test_the_pane_is_hidden_until_something_is_live():
    assert not LiveView().is_live
    assert show_note("waiting for the model").is_live


def test_the_place_in_the_queue_is_shown_until_the_model_writes():
    assert (
        _after(STARTED, QueuePositionChanged(place=2)).show(now_s=2.0).note
        == "round 1 of 8 · 2nd in the queue"
    )
    written = _after(STARTED, QueuePositionChanged(place=1), PieceArrived(text="a"))
    assert written.show(now_s=2.0).note == "round 1 of 8"
