"""Order the pieces of an answer as blocks, one after the other: thoughts, texts and calls.

Chat completions number the calls and let their pieces mix. The items of OpenAI's Responses and the blocks of
Anthropic's Messages follow each other, so a block ends before the next one begins. Example: a server announces two
calls, then sends the arguments of both. The second block begins once the arguments of the first are a JSON object.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from workbench.gateway.answer import (
    AnswerPiece,
    ArgumentsPiece,
    CallClosing,
    CallOpening,
    ContentPiece,
    ReasoningPiece,
)
from workbench.gateway.running import ChatEvent, FinishedChoice, PieceOfChoice, Started
from workbench.hermes.written_out import decoded_arguments


class BlockKind(Enum):
    """What a block is."""

    THOUGHT = auto()
    TEXT = auto()
    CALL = auto()


@dataclass(slots=True, eq=False)
class Block:
    """A part of an answer."""

    kind: BlockKind
    call: CallOpening | None = None
    """The call, or None for a text."""
    texts: list[str] = field(default_factory=list[str])
    """Pieces of the text, or of the call's arguments."""
    index: int = -1
    """Index among the blocks, or -1 while it waits for the block before it."""
    is_complete: bool = True
    """False if it was cut off, or is a call that is not finished or could not be read."""
    has_ended: bool = False
    """Whether it is a call to which nothing is added any more."""

    @property
    def text(self) -> str:
        """The text, or the arguments of the call."""
        return "".join(self.texts)

    @property
    def may_be_followed(self) -> bool:
        """Whether the next block may open. The end of a call that a server parsed is only known from its arguments."""
        if self.kind is not BlockKind.CALL or self.has_ended:
            return True
        text = self.text.strip()
        return bool(text) and decoded_arguments(text) is not None


class BlockOpened(NamedTuple):
    """A block begins."""

    block: Block


class BlockGrown(NamedTuple):
    """More of a block."""

    block: Block
    text: str


class BlockClosed(NamedTuple):
    """Nothing follows in a block."""

    block: Block


BlockEvent = BlockOpened | BlockGrown | BlockClosed


class BlockWriter:
    """Turn the pieces of one answer into blocks."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        """The blocks so far, in order."""
        self._calls: dict[int, Block] = {}
        self._waiting: deque[Block] = deque()
        """Blocks that wait for the one before them."""

    def read(self, piece: AnswerPiece) -> Iterator[BlockEvent]:
        """Add a piece, and yield what it changes."""
        match piece:
            case ContentPiece(text):
                yield from self._grow(self._text_block(BlockKind.TEXT), text)
            case ReasoningPiece(text):
                yield from self._grow(self._text_block(BlockKind.THOUGHT), text)
            case CallOpening(number):
                self._calls[number] = Block(BlockKind.CALL, piece, is_complete=False)
                self._waiting.append(self._calls[number])
            case ArgumentsPiece(number, text):
                yield from self._grow(self._calls[number], text)
            case CallClosing(number, is_complete):
                self._calls[number].has_ended = True
                self._calls[number].is_complete = is_complete
        yield from self._open_waiting()

    def finish(self, *, is_cut_off: bool) -> Iterator[BlockEvent]:
        """Close the last block.

        Args:
            is_cut_off: Whether the answer ended before the model had finished.
        """
        yield from self._open_waiting(is_last=True)
        if self.blocks:
            last = self.blocks[-1]
            if last.call is None:
                last.is_complete = not is_cut_off
            yield BlockClosed(last)

    def _text_block(self, kind: BlockKind) -> Block:
        """Return the block that a text belongs to: the last one, or a new one."""
        last = self._waiting[-1] if self._waiting else self.blocks[-1] if self.blocks else None
        if last is None or last.kind is not kind:
            last = Block(kind)
            self._waiting.append(last)
        return last

    def _grow(self, block: Block, text: str) -> Iterator[BlockEvent]:
        block.texts.append(text)
        if block.index >= 0:
            yield BlockGrown(block, text)

    def _open_waiting(self, *, is_last: bool = False) -> Iterator[BlockEvent]:
        """Open the blocks that wait, as far as the blocks before them are complete."""
        while self._waiting and (is_last or not self.blocks or self.blocks[-1].may_be_followed):
            if self.blocks:
                before = self.blocks[-1]
                if before.call is not None and not before.has_ended:
                    before.is_complete = before.may_be_followed
                yield BlockClosed(before)
            block = self._waiting.popleft()
            block.index = len(self.blocks)
            self.blocks.append(block)
            yield BlockOpened(block)
            if block.texts:
                yield BlockGrown(block, block.text)


def block_changes(
    events: Iterable[ChatEvent], writer: BlockWriter
) -> Iterator[Started | BlockEvent | FinishedChoice]:
    """Yield the events of one answer with its blocks instead of its pieces."""
    for event in events:
        match event:
            case PieceOfChoice():
                yield from writer.read(event.piece)
            case FinishedChoice():
                yield from writer.finish(is_cut_off=event.finish_reason == "length")
                yield event
            case Started():
                yield event
            case _:
                pass
