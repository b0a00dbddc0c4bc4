"""Show a turn in progress, assembled from its events."""

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
from workbench.rollout.events import (
    CompletionEnded,
    Event,
    PieceArrived,
    QueuePositionChanged,
    RoundStarted,
    speed_text,
)
from workbench.ui.present.documents import result_document
from workbench.ui.present.raw import PIECE_KINDS
from workbench.ui.present.text_spans import TextSpan, cut_pieces, mark_spans
from workbench.ui.present.words import ordinal


class LiveText:
    """Text that arrives in pieces, split into coloured spans.

    The spans that it shows, joined, are always exactly the text received so far.

    >>> live = LiveText()
    >>> for piece in ("Hm. ", "<tool_call>", '{"name": "f", "arguments": {'):
    ...     live.feed(piece)
    >>> [(piece.kind, piece.text) for piece in live.pieces()][:2], live.calling
    ([('text', 'Hm. '), ('mark', '<tool_call>')], 'f')
    """

    def __init__(self) -> None:
        self.text = ""
        """All text received so far."""
        self.calling = ""
        """Name of the tool that is being called. Empty outside a call, or while the name is incomplete."""
        self._stream = Stream()
        self._settled: list[tuple[SegmentKind, list[str]]] = []
        """Parts whose kind is final. Adjacent parts of the same kind are joined."""
        self._settled_size = 0

    def feed(self, piece: str) -> None:
        """Add a piece of text."""
        self.text += piece
        for event in self._stream.feed(piece):
            match event:
                case TextDelta():
                    self._settle(event)
                case ProseBecameThought():
                    self._settled = [(SegmentKind.THOUGHT, [self.text[: self._settled_size]])]
                case CallStarted():
                    self.calling = event.name
                case CallEnded() | CallDropped():
                    self.calling = ""
                case _:
                    pass

    def pieces(self) -> tuple[TextSpan, ...]:
        """Return the text as coloured spans.

        Text whose kind is not final yet counts as a call after an open tag, and as prose otherwise.
        """
        return tuple(self._pieces())

    def _settle(self, delta: TextDelta) -> None:
        """Settle the text of a delta and the block before it.

        The events of a call do not contain its text, so the text between two deltas is that of a call block.
        """
        is_next = self.text.startswith(delta.text, self._settled_size)
        start = self._settled_size if is_next else self.text.rfind(delta.text, self._settled_size)
        if start > self._settled_size:
            self._add(SegmentKind.CALL, self.text[self._settled_size : start])
        if start >= 0:
            self._add(delta.kind, delta.text)

    def _add(self, kind: SegmentKind, text: str) -> None:
        if not self._settled or self._settled[-1][0] is not kind:
            self._settled.append((kind, []))
        self._settled[-1][1].append(text)
        self._settled_size += len(text)

    def _pieces(self) -> Iterator[TextSpan]:
        for kind, texts in self._settled:
            yield from _coloured("".join(texts), kind)
        rest = self.text[self._settled_size :]
        yield from _coloured(rest, SegmentKind.CALL if CALL_TAG.match(rest) else SegmentKind.PROSE)


def _coloured(text: str, kind: SegmentKind) -> tuple[TextSpan, ...]:
    return cut_pieces(text, mark_spans(text), kind=PIECE_KINDS[kind])


READING: Final = "reading the prompt"
RUNNING: Final = "running the calls"
ENDING: Final = "saving the answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveView:
    """The contents of the live pane."""

    is_live: bool = False
    """False hides the pane."""
    pieces: tuple[TextSpan, ...] = ()
    """The text of this round so far."""
    note: str = ""
    follow: str = ""
    """Id of a turn that the page should watch from now on. Empty if it does already."""
    session: str = ""
    """The session of that turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRound:
    """The state of the round in progress."""

    number: int = 0
    """Number of the round, from 1. 0 before the first round."""
    limit: int = 0
    written: LiveText = field(default_factory=LiveText)
    """The text so far, including the prefill. It is mutable and shared by successive states of a round."""
    piece_count: int = 0
    """Number of pieces that the model wrote, without the prefill. Servers may send several tokens in one."""
    first_piece_at_s: float | None = None
    """Time of the first piece, or None before it."""
    queue_position: int = 0
    """Position in the queue, where 1 is next. 0 if the request is not queued."""
    sample: str = ""
    """Label of the sample. Empty if there is only one sample."""
    doing: str = READING
    """What happens while the model writes nothing."""

    def after(self, event: Event, *, now_s: float, count: int = 1) -> "LiveRound":
        """Return the state after `event`.

        Args:
            event: The next event.
            now_s: When it happened, on the clock of `show`.
            count: How many pieces were joined into it.
        """
        if isinstance(event, RoundStarted):
            return LiveRound(number=event.number, limit=event.limit, sample=self.sample)
        if isinstance(event, CompletionEnded):
            doing = RUNNING if event.reading.calls else ENDING
            return replace(self, written=LiveText(), piece_count=0, doing=doing)
        if isinstance(event, QueuePositionChanged):
            return replace(self, queue_position=event.place)
        if not isinstance(event, PieceArrived):
            return self
        is_prefill = not self.written.text and event.text.endswith(PREFILL)
        self.written.feed(event.text)
        if is_prefill:
            # The prefill is ours and arrives before the prompt is read, so it does not count for the speed.
            return self
        first = now_s if self.first_piece_at_s is None else self.first_piece_at_s
        return replace(self, piece_count=self.piece_count + count, first_piece_at_s=first, queue_position=0)

    def waits_for_person(self, tool: str) -> "LiveRound":
        """Return the state while a call to `tool` waits for a person."""
        return replace(self, doing=f"waiting for you: call to {tool}")

    def resumed(self) -> "LiveRound":
        """Return the state after the person has answered."""
        return replace(self, doing=RUNNING)

    def show(self, *, now_s: float) -> LiveView:
        """Show the pane at time `now_s`."""
        if self.number == 0:
            return show_note("preparing")
        elapsed_s = now_s - (self.first_piece_at_s if self.first_piece_at_s is not None else now_s)
        is_known = elapsed_s > 0.3 and self.piece_count > 1
        speed = f" · {speed_text((self.piece_count - 1) / elapsed_s)} pieces/s" if is_known else ""
        waiting_for = f"{ordinal(self.queue_position)} in the queue" if self.queue_position else self.doing
        doing = speed if self.piece_count else f" · {waiting_for}"
        calling = f" · calling {self.written.calling}" if self.written.calling else ""
        note = f"{self.sample}round {self.number} of {self.limit}{calling}{doing}"
        return LiveView(is_live=True, pieces=self.written.pieces(), note=note)


def show_note(note: str) -> LiveView:
    """Show the pane with only a note, before the model starts."""
    return LiveView(is_live=True, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingView:
    """A call that waits for a person."""

    question: int
    """Number of the question in its turn. The buttons send it back with the answer."""
    title: str
    name: str
    arguments: str
    """The arguments as JSON."""
    reasons: str
    """Why the call needs approval. Empty in step mode."""
    document: str
    """The document of the result that the person writes (`scripts/drafts/documents.js`)."""


def show_waiting(call: ToolCall, reasons: tuple[str, ...], question: int, *, session_id: str) -> WaitingView:
    """Show a call that waits for a person.

    Args:
        call: The call to decide on.
        question: Number of the question in its turn.
        reasons: Why the call needs approval. Empty in step mode.
        session_id: The session of the turn.
    """
    return WaitingView(
        document=result_document(session_id),
        question=question,
        title="This call needs your approval" if reasons else "Paused before this call",
        name=call.name,
        arguments=json.dumps(call.arguments, indent=2, ensure_ascii=False),
        reasons=", ".join(reasons),
    )
