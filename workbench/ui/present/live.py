"""A turn in progress, assembled from its events."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.chat.message import ToolCall
from workbench.hermes.marks import CALL_TAG
from workbench.hermes.reading import SegmentKind
from workbench.hermes.stream import Stream
from workbench.hermes.stream_events import CallDropped, CallEnded, CallStarted, ProseBecameThought, TextDelta
from workbench.rollout.constraint import PREFILL
from workbench.rollout.events import CompletionEnded, Event, PieceArrived, QueuePositionChanged, RoundStarted
from workbench.ui.present.raw import PIECE_KINDS
from workbench.ui.present.text_spans import TextSpan, cut_pieces, mark_spans
from workbench.ui.present.words import ordinal


class LiveText:
    """Fed in pieces; what it shows, joined, is always the pieces' text.

    >>> live = LiveText()
    >>> for piece in ("Hm. ", "<tool_call>", '{"name": "f", "arguments": {'):
    ...     live.feed(piece)
    >>> [(piece.kind, piece.text) for piece in live.pieces()][:2], live.calling
    ([('text', 'Hm. '), ('mark', '<tool_call>')], 'f')
    """

    def __init__(self) -> None:
        self.text = ""
        """All pieces so far."""
        self.calling = ""
        """The tool whose call is forming; empty where none is, or its name is not certain yet."""
        self._stream = Stream()
        self._told: list[tuple[SegmentKind, list[str]]] = []
        """Stretches whose kind is certain, neighbours of one kind joined."""
        self._told_size = 0

    def feed(self, piece: str) -> None:
        """Takes what came."""
        self.text += piece
        for event in self._stream.feed(piece):
            match event:
                case TextDelta():
                    self._tell(event)
                case ProseBecameThought():
                    self._told = [(SegmentKind.THOUGHT, [self.text[: self._told_size]])]
                case CallStarted():
                    self.calling = event.name
                case CallEnded() | CallDropped():
                    self.calling = ""
                case _:
                    pass

    def pieces(self) -> tuple[TextSpan, ...]:
        """The text, in colours; what is not certain yet is a call behind an open tag, and else prose."""
        return tuple(self._pieces())

    def _tell(self, delta: TextDelta) -> None:
        """Between two deltas stands a block, of which the events tell the call and not the text."""
        is_next = self.text.startswith(delta.text, self._told_size)
        start = self._told_size if is_next else self.text.rfind(delta.text, self._told_size)
        if start > self._told_size:
            self._add(SegmentKind.CALL, self.text[self._told_size : start])
        if start >= 0:
            self._add(delta.kind, delta.text)

    def _add(self, kind: SegmentKind, text: str) -> None:
        if not self._told or self._told[-1][0] is not kind:
            self._told.append((kind, []))
        self._told[-1][1].append(text)
        self._told_size += len(text)

    def _pieces(self) -> Iterator[TextSpan]:
        for kind, texts in self._told:
            yield from _coloured("".join(texts), kind)
        rest = self.text[self._told_size :]
        yield from _coloured(rest, SegmentKind.CALL if CALL_TAG.match(rest) else SegmentKind.PROSE)


def _coloured(text: str, kind: SegmentKind) -> tuple[TextSpan, ...]:
    return cut_pieces(text, mark_spans(text), kind=PIECE_KINDS[kind])


READING: Final = "reading the prompt"
RUNNING: Final = "running the calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveView:
    """All that the live pane shows."""

    is_live: bool = False
    """False hides it."""
    pieces: tuple[TextSpan, ...] = ()
    """What was written so far in this round."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRound:
    """What is known of the round under way."""

    number: int = 0
    """From 1; 0 before the first round."""
    limit: int = 0
    written: LiveText = field(default_factory=LiveText)
    """Written so far, prefill included; the rounds that follow one another share it, and it grows."""
    piece_count: int = 0
    """Pieces that the model wrote; about one a token, the prefill not counted."""
    first_piece_at_s: float | None = None
    """When the first of them came; None before."""
    queue_position: int = 0
    """1 is next; 0 once the model is at work, as far as is known."""
    sample: str = ""
    """Which of several samples it is of; empty where there is one."""
    doing: str = READING
    """What is done while the model writes nothing."""

    def after(self, event: Event, *, now_s: float) -> "LiveRound":
        """The round once `event` has happened."""
        if isinstance(event, RoundStarted):
            return LiveRound(number=event.number, limit=event.limit, sample=self.sample)
        if isinstance(event, CompletionEnded):
            return replace(self, written=LiveText(), piece_count=0, doing=RUNNING)
        if isinstance(event, QueuePositionChanged):
            return replace(self, queue_position=event.place)
        if not isinstance(event, PieceArrived):
            return self
        is_prefill = not self.written.text and event.text.endswith(PREFILL)
        self.written.feed(event.text)
        if is_prefill:
            # Ours, and there before the prompt is read: it says nothing of the model's speed.
            return self
        first = now_s if self.first_piece_at_s is None else self.first_piece_at_s
        return replace(self, piece_count=self.piece_count + 1, first_piece_at_s=first, queue_position=0)

    def waits_for_person(self, tool: str) -> "LiveRound":
        """The round while a person is asked about a call of that tool."""
        return replace(self, doing=f"waits for you: the call of {tool}")

    def goes_on(self) -> "LiveRound":
        """The round once the person has answered."""
        return replace(self, doing=RUNNING)

    def show(self, *, now_s: float) -> LiveView:
        """The pane at this moment."""
        if self.number == 0:
            return waiting("preparing")
        elapsed_s = now_s - (self.first_piece_at_s if self.first_piece_at_s is not None else now_s)
        speed = f" · {(self.piece_count - 1) / elapsed_s:.0f} tokens/s" if elapsed_s > 0.3 else ""
        waiting_for = f"{ordinal(self.queue_position)} in line" if self.queue_position else self.doing
        doing = speed if self.piece_count else f" · {waiting_for}"
        calling = f" · calling {self.written.calling}" if self.written.calling else ""
        note = f"{self.sample}round {self.number} of {self.limit}{calling}{doing}"
        return LiveView(is_live=True, pieces=self.written.pieces(), note=note)


def waiting(note: str) -> LiveView:
    """The pane before the model has been asked."""
    return LiveView(is_live=True, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingView:
    """One call that waits."""

    title: str
    name: str
    arguments: str
    """JSON of its arguments."""
    reasons: str
    """What speaks against it; empty in step mode."""


def show_waiting(call: ToolCall, reasons: tuple[str, ...]) -> WaitingView:
    """A call as the page asks about it."""
    return WaitingView(
        title="This call needs your approval" if reasons else "The turn waits at this call",
        name=call.name,
        arguments=json.dumps(call.arguments, indent=2, ensure_ascii=False),
        reasons=", ".join(reasons),
    )
