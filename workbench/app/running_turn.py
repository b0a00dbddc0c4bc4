"""A turn that runs on the server until it ends or a person stops it, with or without a page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from workbench.app.person import Person
from workbench.app.tasks import LoggedEvent, RunningTask
from workbench.app.turn_request import TurnEvent, TurnRequest
from workbench.rollout.events import CompletionEnded, PieceArrived, QueuePositionChanged, RoundStarted
from workbench.rollout.stopping import StopSignal


class RunningTurn(RunningTask[TurnEvent]):
    """A turn of a session, running or just ended. Its subject is the id of the session.

    Args:
        owner_key: Who may watch, answer and stop it.
        turn_request: What to run.
        now_s: Returns the time of a clock that only goes forward.
        approval_timeout_s: How long it waits for the answer to a question.
        id: Id of the turn. None creates one.
        stop: Stops the turn. None creates a signal.
    """

    def __init__(
        self,
        owner_key: str | None,
        turn_request: TurnRequest,
        *,
        now_s: Callable[[], float],
        approval_timeout_s: float,
        id: str | None = None,
        stop: StopSignal | None = None,
    ) -> None:
        super().__init__(owner_key, turn_request.subject, condense_turn, now_s=now_s, id=id, stop=stop)
        self.request = turn_request
        self.has_stored = False
        """Whether a message was stored."""
        self._unsent = turn_request.text
        self.person = Person(
            self.log.add,
            stop=self.stop,
            timeout_s=approval_timeout_s,
            unwatched_s=lambda: self.unwatched_s,
        )

    @property
    def start_id(self) -> str | None:
        """The message that the turn continues from, as far as the request says."""
        resume = self.request.resume
        return resume.message_id if resume else self.request.leaf_id

    def take_unsent(self) -> str:
        """Return the user's text if the turn failed, or was stopped before it was stored, so that it can be sent again.

        Empty while the turn runs, and after the first call, so that only one page gets the text back.
        """
        if not self.over.is_set() or (self.has_stored and self.error is None):
            return ""
        text, self._unsent = self._unsent, ""
        return text


def condense_turn(logged: Sequence[LoggedEvent[TurnEvent]]) -> Sequence[LoggedEvent[TurnEvent]]:
    """Return the last event of each kind, and the text of the completion in progress as at most two pieces.

    The first piece stays as it is, because it may be the prefill, which the model did not write.
    """
    kept: dict[type, LoggedEvent[TurnEvent]] = {}
    pieces: list[LoggedEvent[TurnEvent]] = []
    for entry in logged:
        if isinstance(entry.event, PieceArrived):
            pieces.append(entry)
            continue
        if isinstance(entry.event, RoundStarted | CompletionEnded):
            pieces.clear()
            kept.pop(QueuePositionChanged, None)
        # Removed first, so that the events stay in their order.
        kept.pop(type(entry.event), None)
        kept[type(entry.event)] = entry
    return [*kept.values(), *pieces[:1], *_joined(pieces[1:])]


def _joined(pieces: Sequence[LoggedEvent[TurnEvent]]) -> Iterator[LoggedEvent[TurnEvent]]:
    if pieces:
        text = "".join(entry.event.text for entry in pieces if isinstance(entry.event, PieceArrived))
        yield replace(pieces[0], event=PieceArrived(text=text), count=sum(entry.count for entry in pieces))
