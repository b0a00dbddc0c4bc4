"""Write chat answers as OpenAI's chat completions, as one document or as a stream of chunks."""

from collections.abc import Iterable, Iterator
from secrets import token_hex
from typing import Final

import orjson

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.gateway.answer import AnswerPiece, CallClosing, CallOpening
from workbench.gateway.chat_answers import Report
from workbench.gateway.documents import (
    COMMENT,
    DONE,
    AnswerHead,
    closing_choice,
    event_bytes,
    in_older_spelling,
    opening_choice,
    piece_choice,
    usage_of,
    whole_choice,
)
from workbench.gateway.faults import RequestFault
from workbench.gateway.preparing import PreparedChat
from workbench.gateway.running import ChatEvent, FinishedChoice, PieceOfChoice, Started


class ChatSpelling:
    """Writes answers as chat completions.

    Args:
        sends_usage: Whether a stream ends with the number of tokens.
    """

    keep_alive = COMMENT

    def __init__(self, chat: PreparedChat, *, sends_usage: bool) -> None:
        self._head = AnswerHead(model=chat.target.name)
        self._has_logprobs = chat.wants_logprobs
        self._is_older = chat.is_older_spelling
        self._sends_usage = sends_usage
        self._frames: dict[tuple[object, ...], _EventFrame] = {}
        """The events of pieces that differ in their text only."""

    def whole(self, events: Iterable[ChatEvent], report: Report) -> JsonObject:
        """Return the answer as one JSON body."""
        finished = [event for event in events if isinstance(event, FinishedChoice)]
        choices = [
            self._spelled(whole_choice(choice, has_logprobs=self._has_logprobs)) for choice in finished
        ]
        return self._head.completion(choices, usage=usage_of(finished), hermes=report(finished))

    def stream(self, events: Iterable[ChatEvent], report: Report) -> Iterator[bytes]:
        """Yield the answer as chunks."""
        finished: list[FinishedChoice] = []
        for event in events:
            match event:
                case PieceOfChoice(choice, piece):
                    yield self._piece_bytes(choice, piece)
                case Started():
                    yield self._chunk_bytes(opening_choice(event.choice))
                case FinishedChoice():
                    finished.append(event)
                    choice = closing_choice(event, has_logprobs=self._has_logprobs)
                    yield self._chunk_bytes(choice, hermes=report([event]))
                case _:
                    yield b""
        if self._sends_usage:
            yield event_bytes(self._head.chunk((), usage=usage_of(finished), hermes=report(finished)))
        yield DONE

    def broken(self, fault: RequestFault) -> bytes:
        """Return the last event of a stream that cannot be continued."""
        return event_bytes(fault.document)

    def _piece_bytes(self, choice: int, piece: AnswerPiece) -> bytes:
        if isinstance(piece, CallClosing):
            return b""
        if isinstance(piece, CallOpening):
            return self._chunk_bytes(piece_choice(choice, piece))
        *place, text = piece
        key = (choice, type(piece), *place)
        if (frame := self._frames.get(key)) is None:
            sample = piece_choice(choice, piece._replace(text=_EventFrame.MARK))
            frame = self._frames[key] = _EventFrame(self._chunk_bytes(sample))
        return frame.around(text)

    def _chunk_bytes(self, choice: JsonObject, **further: JsonValue) -> bytes:
        usage = {"usage": None} if self._sends_usage else {}
        return event_bytes(self._head.chunk((self._spelled(choice),), **usage, **further))

    def _spelled(self, choice: JsonObject) -> JsonObject:
        return in_older_spelling(choice) if self._is_older else choice


class _EventFrame:
    """An event around a text, which is put together faster than it is written from a document.

    Args:
        event: The event with `MARK` as its text.
    """

    MARK: Final = token_hex(16)
    """A text that no client can know, so that it occurs once in the event."""

    def __init__(self, event: bytes) -> None:
        self._before, _, self._after = event.partition(orjson.dumps(self.MARK))

    def around(self, text: str) -> bytes:
        """Return the event with a text."""
        return self._before + orjson.dumps(text) + self._after
