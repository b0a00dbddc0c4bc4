"""A completion while it is written, each stretch of the kind that the stream knows by now."""

from collections.abc import Iterator

from workbench.hermes.marks import CALL_TAG
from workbench.hermes.reading import SegmentKind
from workbench.hermes.stream import Stream
from workbench.hermes.stream_events import CallDropped, CallEnded, CallStarted, ProseBecameThought, TextDelta
from workbench.ui.present.pieces import TextSpan, cut_pieces, mark_spans
from workbench.ui.present.raw import PIECE_KINDS


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
