"""Find calls that a server sends twice: once parsed, and once in its text.

Idea. The two may arrive in any order, and what was sent to the client stays sent. So a call is passed on as it arrives,
unless the other source has already sent a call that may be the same. Then it waits until both are complete. If they are
equal, it is left out, otherwise it is sent as a whole. A call matches only one call of the other source, because a
model may write the same call twice.

Example: the server sends the parsed call `f({"a": 1})`, then the text `<tool_call>{"name": "f", "arguments": {"a": 1}}
</tool_call><tool_call>{"name": "f", "arguments": {"a": 2}}</tool_call>`. The parsed call is sent. The first call in the
text waits and is left out. The second one is sent as it arrives, because the parsed call has its match.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from workbench.chat.message import ToolCall
from workbench.hermes.stream_events import ArgumentsDelta, CallDropped, CallEnded, CallStarted
from workbench.hermes.written_out import decoded_arguments
from workbench.rollout.completion_checks import call_key, structured_call_key
from workbench.rollout.ports import StructuredCallPiece
from workbench.toolspec.spec import OfferedTools

CallEvent = CallStarted | ArgumentsDelta | CallEnded | CallDropped
CallPart = CallEvent | StructuredCallPiece


class _State(Enum):
    PASSED_ON = auto()
    WAITING = auto()
    LEFT_OUT = auto()


@dataclass(slots=True)
class _ArrivedCall:
    """A call, or the part of it that has arrived."""

    name: str
    is_in_text: bool
    state: _State
    arguments: list[str] = field(default_factory=list[str])
    """Pieces of the JSON text."""
    is_complete: bool = False
    """Whether the arguments are known to be complete."""
    has_repetition: bool = False
    """Whether a call of the other source was left out because of this one."""
    parts: list[CallPart] = field(default_factory=list[CallPart])
    """What waits."""
    _key: str | None = None

    def key(self, tools: OfferedTools) -> str:
        """Return a text that is the same for equal calls of both sources. Only once no more arguments arrive."""
        if self._key is None:
            text = "".join(self.arguments)
            if self.is_in_text:
                self._key = call_key(self.name, decoded_arguments(text) or {})
            else:
                call = ToolCall(name=self.name, arguments={}, arguments_text=text)
                self._key = structured_call_key(call, tools)
        return self._key


class RepeatedCalls:
    """Pass on the parts of the calls of one completion, without the calls that are repeated.

    Args:
        tools: The offered tools.
    """

    def __init__(self, tools: OfferedTools) -> None:
        self._tools = tools
        self._in_text: dict[int, _ArrivedCall] = {}
        self._parsed: dict[int, _ArrivedCall] = {}

    def read(self, event: CallEvent) -> Sequence[CallPart]:
        """Add an event of a call in the text, and return what can be sent now."""
        if isinstance(event, CallStarted):
            state = _state_beside(self._parsed.values())
            self._in_text[event.call_index] = _ArrivedCall(event.name, is_in_text=True, state=state)
        call = self._in_text[event.call_index]
        if isinstance(event, ArgumentsDelta):
            call.arguments.append(event.text)
        elif isinstance(event, CallEnded):
            call.is_complete = True
        elif isinstance(event, CallDropped):
            del self._in_text[event.call_index]
        if call.state is _State.PASSED_ON:
            return (event,)
        call.parts.append(event)
        if call.is_complete and all(map(_is_complete, self._parsed.values())):
            return self._compared(call, self._parsed.values())
        return ()

    def add_parsed(self, piece: StructuredCallPiece) -> Sequence[CallPart]:
        """Add a piece of a call that the server parsed, and return what can be sent now."""
        call = self._parsed.get(piece.index)
        if call is None:
            state = _state_beside(self._in_text.values())
            call = self._parsed[piece.index] = _ArrivedCall(piece.name, is_in_text=False, state=state)
        call.arguments.append(piece.arguments_text)
        if call.state is _State.PASSED_ON:
            return (piece,)
        call.parts.append(piece)
        return ()

    def finish(self) -> Iterator[CallPart]:
        """Yield what waited for the end of the completion. A call in the text that was cut off is left out."""
        for call in self._in_text.values():
            if call.state is _State.WAITING and call.is_complete:
                yield from self._compared(call, self._parsed.values())
        for call in self._parsed.values():
            if call.state is _State.WAITING:
                yield from self._compared(call, self._in_text.values())

    def _compared(self, call: _ArrivedCall, others: Iterable[_ArrivedCall]) -> Sequence[CallPart]:
        """Return the parts of a call. None of them if it repeats one of the others."""
        key = call.key(self._tools)
        for other in others:
            if _may_be_repeated(other) and other.key(self._tools) == key:
                other.has_repetition = True
                call.state = _State.LEFT_OUT
                return ()
        call.state = _State.PASSED_ON
        return call.parts


def _state_beside(others: Iterable[_ArrivedCall]) -> _State:
    """Return the state of a new call, beside those that the other source has sent."""
    return _State.WAITING if any(map(_may_be_repeated, others)) else _State.PASSED_ON


def _may_be_repeated(call: _ArrivedCall) -> bool:
    return call.state is _State.PASSED_ON and not call.has_repetition


def _is_complete(parsed: _ArrivedCall) -> bool:
    """Return whether no more arguments can follow. A call without arguments may still get some."""
    if not parsed.is_complete:
        text = "".join(parsed.arguments)
        parsed.is_complete = bool(text.strip()) and decoded_arguments(text) is not None
    return parsed.is_complete
