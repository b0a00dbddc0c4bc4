"""Parse a completion that arrives in pieces into the same reading, with events along the way.

Idea. Text is emitted as soon as no later piece can change its meaning. Outside of calls, only an ending that may become
a tag waits, such as `<tool_c`. Inside a call, `ArgumentsLexer` emits arguments for as long as they are plain valid
JSON. When a closing tag arrives, the block is read by the same function that `parse` uses. Whatever is still
uncertain waits for `finish`, which simply parses the whole text.

Invariants. `finish` returns what `parse` returns for the joined pieces, wherever the pieces were cut. The events, taken
together, describe that reading. Two events revise earlier ones: `ProseBecameThought` and `CallDropped`. Everything else
is final. A call is only certain to be run once the text has ended: a `</think>` that was not opened makes a thought of
everything before it, and drops the calls in it even if they had ended.

Time is linear: after 16 attempts, a block that cannot be read yet is only read again after it has doubled in size.
This text made that necessary, because each closing tag in it is inside a string and looks like the end of the block:

    <tool_call>{"name": "save", "arguments": {"text": "</tool_call></tool_call></tool_call>…"}}</tool_call>
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from workbench.chat.finding import apply_edits
from workbench.hermes.arguments_lexer import may_end_value
from workbench.hermes.dialects.find import certain_prose, has_opener
from workbench.hermes.marks import (
    CALL_TAG,
    FOREIGN_THOUGHTS,
    MARK,
    MARK_OR_BRACKET,
    PAYLOAD_START,
    THINK_CLOSE,
)
from workbench.hermes.parse import parse
from workbench.hermes.reading import Dialect, Level, ReadCall, Reading, Segment, SegmentKind
from workbench.hermes.scanner.block import Block, is_final
from workbench.hermes.scanner.tagged import read_call_block
from workbench.hermes.scanner.untagged import leaves_doubt, read_function_between_prose
from workbench.hermes.stream_events import (
    OVERLAP_CHARS,
    BlockEnded,
    CallEvents,
    Event,
    ProseBecameThought,
    TextDelta,
    end_of_prose,
    is_plain,
    possible_mark_start,
    possible_tag_start,
)
from workbench.hermes.text.completion import Completion, Tag
from workbench.toolspec.spec import OfferedTools

_FREE_ATTEMPTS: Final = 16
"""How often a block is read whatever its size. A file that quotes three calls has six tags before the block's own."""
_THOUGHT_ENDS: Final = ("thought_end", "foreign_thought_end", "bracket_thought_end")


class Stream:
    """Parse a completion that arrives in pieces.

    The keywords are those of `parse`. Events are a preview: prose and thoughts as they arrive, calls as soon as
    they are certain, and the rest at the end. `finish` returns the same reading as `parse`.

    >>> stream = Stream()
    >>> [event.text for piece in ("Hi <tool_c", "ake>") for event in stream.feed(piece)]
    ['Hi ', '<tool_cake>']
    """

    def __init__(
        self,
        *,
        tools: OfferedTools | None = None,
        dialect: str = Dialect.AUTO,
        level: str = Level.TOLERANT,
        finish_reason: str = "stop",
        starts_in_thought: bool = False,
    ) -> None:
        self._tools = tools
        self._dialect = Dialect(dialect)
        self._level = Level(level)
        self._finish_reason = finish_reason
        self._starts_in_thought = starts_in_thought
        self._pieces: list[str] = []
        self._pending = ""
        self._sent = 0
        """Number of characters that were emitted or belong to a block that was read."""
        self._step = self._thought if starts_in_thought else self._prose
        self._thought_close = THINK_CLOSE
        self._has_thought = starts_in_thought
        self._has_emitted_prose = False
        """Whether prose was emitted that may still turn out to be a thought."""
        self._last = "\n"
        self._has_doubt = self._has_xml = self._is_after_xml = False
        """Whether a call without an opening tag may be an example: after a block that may have ended too early, and
        after other text that follows a call in XML."""
        self._may_be_bare = True
        """Whether there were only thoughts and white space so far, so that an untagged call may follow."""
        self._calls = 0
        """Number of calls that were emitted and not dropped."""
        self._events = CallEvents(tools, self._level)
        self._reading: Reading | None = None
        self._end_block()

    def feed(self, piece: str) -> tuple[Event, ...]:
        """Add a piece of the completion. Return the events that are certain now.

        Raises:
            RuntimeError: `finish` was called before.
        """
        if self._reading is not None:
            raise RuntimeError("the stream has ended: `finish` was called before this piece")
        if not piece:
            return ()
        self._pieces.append(piece)
        if self._is_in_plain_prose:
            if "<" not in piece and "[" not in piece and not self._pending:
                return (self._emitted(SegmentKind.PROSE, piece),)
        elif (
            self._events.is_in_plain_string
            and "<" not in self._window
            and is_plain(piece)
            and (self._tools is None or not may_end_value(piece))
        ):
            self._block_text.append(piece)
            self._block_size += len(piece)
            return (self._events.emit_plain(piece),)
        self._pending += piece
        events: list[Event] = []
        while self._step(events):
            pass
        return tuple(events)

    def finish(self, reason: str | None = None) -> Reading:
        """Return the reading of all pieces. `last_events` then returns the remaining events. Can be called repeatedly.

        Args:
            reason: Why the model stopped, if it was not known at the start. `length` means that it was cut off.
        """
        if self._reading is None:
            self._reading = parse(
                "".join(self._pieces),
                tools=self._tools,
                dialect=self._dialect,
                level=self._level,
                finish_reason=reason or self._finish_reason,
                starts_in_thought=self._starts_in_thought,
            )
        return self._reading

    def last_events(self) -> tuple[Event, ...]:
        """Return the events that waited for `finish`. A second call returns none."""
        reading = self.finish()
        events: list[Event] = []
        has_shown = self._has_emitted_prose or (self._calls and not self._has_thought)
        if has_shown and reading.segments and reading.segments[0].kind is SegmentKind.THOUGHT:
            events.extend(self._became_thought())
        self._has_thought = True
        calls = reading.calls[self._calls :]
        for segment in reading.segments:
            if segment.span.end <= self._sent:
                continue
            for call in calls:
                if call.span == segment.span:
                    events.extend(self._ended(call, reading.text))
            events.extend(self._rest_of(segment))
        self._sent = len(reading.text)
        events.extend(self._events.drop())
        self._calls = len(reading.calls)
        return tuple(events)

    def _ended(self, call: ReadCall, text: str) -> Iterator[Event]:
        if call.span.start != self._block_start:
            yield from self._events.drop()
        moved = [
            replace(edit, span=edit.span.shifted(-call.span.start))
            for fix in call.fixes
            for edit in fix.edits
            if edit.span.start >= call.span.start
        ]
        body = apply_edits(call.span.of(text), moved)[self._tag_size :]
        yield from self._events.end(call.name, call.arguments, body)

    def _rest_of(self, segment: Segment) -> Iterator[Event]:
        """Yield the text of a segment that was not emitted yet."""
        rest = segment.text[max(0, self._sent - segment.span.start) :]
        if segment.kind in (SegmentKind.PROSE, SegmentKind.THOUGHT):
            yield TextDelta(segment.kind, rest)
        elif self._step == self._thought:
            yield TextDelta(SegmentKind.THOUGHT, rest)
        else:
            yield BlockEnded(segment.kind, rest)

    @property
    def _is_in_plain_prose(self) -> bool:
        """Whether only a tag can end the prose. At the lenient level, other texts can."""
        return self._step == self._prose and self._level is not Level.LENIENT

    def _emitted(self, kind: SegmentKind, text: str) -> Event:
        """Return the event of a text, which is not empty."""
        if kind is SegmentKind.PROSE:
            self._has_emitted_prose |= not self._has_thought
            self._may_be_bare = self._may_be_bare and text.isspace()
        self._is_after_xml |= self._has_xml and not text.isspace()
        self._sent += len(text)
        self._last = text[-1]
        return TextDelta(kind, text)

    def _emit(self, events: list[Event], kind: SegmentKind, size: int) -> None:
        if size:
            text, self._pending = self._pending[:size], self._pending[size:]
            events.append(self._emitted(kind, text))

    def _prose(self, events: list[Event]) -> bool:
        """Emit prose up to a mark, or up to an ending that may become one."""
        may_be_call = self._may_be_bare and self._level is Level.LENIENT
        if may_be_call and self._pending.lstrip().startswith(("{", "`")):
            self._step = self._wait_for_end
            return True
        if self._level is Level.LENIENT and self._tools is not None:
            return self._lenient_prose(events)
        if "<" not in self._pending and "[" not in self._pending:
            self._emit(events, SegmentKind.PROSE, len(self._pending))
            return False
        mark = (MARK_OR_BRACKET if "[" in self._pending else MARK).search(self._pending)
        end = possible_mark_start(self._pending)
        if not mark or end <= mark.start():
            self._emit(events, SegmentKind.PROSE, end)
            return False
        self._emit(events, SegmentKind.PROSE, mark.start())
        return self._at_mark(events, mark.end() - mark.start(), str(mark.lastgroup))

    def _lenient_prose(self, events: list[Event]) -> bool:
        """Emit whole lines up to a mark or a foreign call, which is only read at the end of the text."""
        mark = MARK_OR_BRACKET.search(self._pending)
        end = mark.start() if mark else len(self._pending)
        if has_opener(self._pending[:end]):
            self._emit(events, SegmentKind.PROSE, certain_prose(self._pending[:end]))
            self._step = self._wait_for_end
            return True
        self._emit(events, SegmentKind.PROSE, end if mark else certain_prose(self._pending))
        if mark is None or possible_mark_start(self._pending) == 0:
            return False
        return self._at_mark(events, mark.end() - mark.start(), str(mark.lastgroup))

    def _at_mark(self, events: list[Event], size: int, kind: str) -> bool:
        if self._last == "`" and (kind == "thought" or kind in _THOUGHT_ENDS):
            if len(self._pending) == size:
                return False
            if self._pending[size] == "`":
                kind = "quoted"
        if kind == "open":
            self._step = self._undecided
        elif kind == "thought" or (self._may_be_bare and self._opens_thought(kind)):
            mark = self._pending[:size]
            self._thought_close = FOREIGN_THOUGHTS.get(mark) or "</" + mark[1:]
            self._has_thought = True
            self._emit(events, SegmentKind.THOUGHT, size)
            self._step = self._thought
        elif kind in _THOUGHT_ENDS and not self._has_thought:
            events.extend(self._became_thought())
            self._emit(events, SegmentKind.THOUGHT, size)
        elif kind == "function" and self._may_be_offered(self._pending[len("<function=") : size - 1]):
            if self._has_doubt or self._is_after_xml or self._last == "`":
                self._step = self._wait_for_end
                return True
            return self._begin_block(events, 0)
        elif kind in ("stop", "alternate", "named", "wrapped", "foreign_thought", "bracket_thought") or (
            kind == "response" and self._last == "\n"
        ):
            self._step = self._wait_for_end
        else:
            self._emit(events, SegmentKind.PROSE, size)
        return True

    def _opens_thought(self, kind: str) -> bool:
        """Return whether a mark of this kind opens a thought if there were only thoughts before it."""
        return kind == "foreign_thought" or (kind == "bracket_thought" and not self._has_thought)

    def _became_thought(self) -> Iterator[Event]:
        """Drop the calls so far, and turn the prose into a thought."""
        self._has_doubt = self._has_xml = self._is_after_xml = False
        yield from self._events.drop_all()
        yield ProseBecameThought()
        self._calls = 0
        self._has_thought = self._may_be_bare = True
        self._has_emitted_prose = False

    def _may_be_offered(self, written: str) -> bool:
        """Return whether an offered tool may have this name. An untagged call of such a tool is emitted as a whole."""
        name = written.strip().strip("\"'").strip().removeprefix("functions.")
        return self._tools is not None and name in self._tools.by_name

    def _thought(self, events: list[Event]) -> bool:
        end = self._pending.find(self._thought_close)
        if end >= 0:
            self._emit(events, SegmentKind.THOUGHT, end + len(self._thought_close))
            self._step = self._prose
            return True
        safe_end = possible_tag_start(self._pending, self._thought_close)
        self._emit(events, SegmentKind.THOUGHT, safe_end)
        return False

    def _undecided(self, events: list[Event]) -> bool:
        """Handle an opening tag: start a block if a payload follows, otherwise wait for more text."""
        tag = CALL_TAG.match(self._pending)
        payload = self._pending[tag.end() :].lstrip() if tag else ""
        if tag and payload and PAYLOAD_START.match(payload):
            return self._begin_block(events, tag.end())
        if tag and self._last == "`" and self._pending.startswith("`", tag.end()):
            self._emit(events, SegmentKind.PROSE, tag.end())
            self._step = self._prose
            return True
        if len(payload) > len("<function"):
            self._step = self._wait_for_end
        return False

    def _begin_block(self, events: list[Event], tag_size: int) -> bool:
        """Start a block whose opening tag has `tag_size` characters, 0 if it is missing."""
        self._may_be_bare = False
        self._tag_size = tag_size
        self._block_start = self._sent
        self._block_text = [self._pending]
        self._block_size = len(self._pending)
        text, self._pending = self._pending, ""
        self._step = self._block
        events.extend(self._events.feed(text[tag_size:]))
        self._window = end_of_prose(text)
        has_tag = CALL_TAG.search(text, tag_size) is not None
        return has_tag and not self._events.is_in_string and self._try_block(events)

    def _block(self, events: list[Event]) -> bool:
        piece, self._pending = self._pending, ""
        self._block_text.append(piece)
        self._block_size += len(piece)
        events.extend(self._events.feed(piece))
        text = self._window + piece
        if ">" not in piece:  # and so not in the window
            self._window = text[-OVERLAP_CHARS:]
            return False
        self._window = end_of_prose(text)
        return bool(CALL_TAG.search(text)) and not self._events.is_in_string and self._try_block(events)

    def _try_block(self, events: list[Event]) -> bool:
        """Read the block, now that another tag has arrived. In the end only after the block has doubled in size."""
        if self._attempts >= _FREE_ATTEMPTS and self._block_size < 2 * self._tried:
            return False
        self._attempts += 1
        text = "".join(self._block_text)
        self._block_text = [text]
        completion = Completion(
            text, tools=self._tools, dialect=self._dialect, level=self._level, is_cut=False
        )
        block = (
            read_call_block(completion, Tag(0, self._tag_size))
            if self._tag_size
            else read_function_between_prose(completion, 0)
        )
        if block is None or completion.has_met_end or not is_final(text, block):
            self._tried = self._block_size
            return False
        self._emit_calls(events, text, block)
        self._note_block(block)
        self._sent += block.end
        self._last = ">"
        self._pending = text[block.end :]
        self._end_block()
        self._step = self._prose
        return True

    def _note_block(self, block: Block) -> None:
        is_xml = any(draft.dialect is Dialect.XML for draft in block.drafts)
        self._is_after_xml = self._has_xml and not is_xml
        self._has_xml |= is_xml
        self._has_doubt |= leaves_doubt(block)

    def _end_block(self) -> None:
        self._block_text: list[str] = []
        self._block_size = 0
        self._tried = 0
        self._attempts = 0
        self._tag_size = 0
        self._block_start = 0
        self._window = ""
        self._events.begin_block()

    def _emit_calls(self, events: list[Event], text: str, block: Block) -> None:
        drafts = () if block.fixes and self._level is Level.STRICT else block.drafts
        edits = [edit for fix in block.fixes for edit in fix.edits]
        body = apply_edits(text[: block.end], edits)[self._tag_size :] if drafts else ""
        for draft in drafts:
            events.extend(self._events.end(draft.name, draft.arguments, body))
            self._calls += 1
        events.extend(self._events.drop())
        events.append(BlockEnded(SegmentKind.CALL, text[: block.end]))

    def _wait_for_end(self, events: list[Event]) -> bool:
        """Wait until `finish`: the meaning of the text from here on depends on all of it."""
        self._pending = ""
        return False
