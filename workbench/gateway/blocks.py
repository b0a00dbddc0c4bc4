"""Order the pieces of an answer as blocks, one after the other: thoughts, texts and calls.

Chat completions number the calls and let their pieces mix. The items of OpenAI's Responses and the blocks of
Anthropic's Messages follow each other, so a block ends before the next one begins. Example: a server announces two
calls, then sends the arguments of both. The second block begins once the arguments of the first are a JSON object.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from workbench.gateway.answer import (
    AnswerPiece,
    ArgumentsPiece,
    CallOpening,
    ContentPiece,
    ReasoningPiece,
    SentAnswer,
)
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
    """Index among the blocks, or -1 while a call waits for the one before it."""
    is_complete: bool = True
    """False if it was cut off, or is a call that could not be read. Only known once it is closed."""

    @property
    def text(self) -> str:
        """The text, or the arguments of the call."""
        return "".join(self.texts)

    @property
    def has_arguments(self) -> bool:
        """Whether the arguments of the call are a JSON object."""
        return decoded_arguments(self.text) is not None


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
        self._open: Block | None = None
        self._calls: dict[int, Block] = {}
        self._waiting: list[Block] = []
        """Calls that wait for the one before them."""

    def read(self, piece: AnswerPiece) -> Iterator[BlockEvent]:
        """Add a piece, and yield what it changes."""
        match piece:
            case ContentPiece(text):
                yield from self._grow(BlockKind.TEXT, text)
            case ReasoningPiece(text):
                yield from self._grow(BlockKind.THOUGHT, text)
            case CallOpening(number):
                self._calls[number] = Block(BlockKind.CALL, piece)
                self._waiting.append(self._calls[number])
                yield from self._open_calls()
            case ArgumentsPiece(number, text):
                block = self._calls[number]
                block.texts.append(text)
                if block.index >= 0:
                    yield BlockGrown(block, text)
                yield from self._open_calls()

    def finish(self, sent: SentAnswer, *, is_cut_off: bool) -> Iterator[BlockEvent]:
        """Close the last block.

        Args:
            sent: The whole answer.
            is_cut_off: Whether the answer ended before the model had finished.
        """
        yield from self._open_waiting()
        if self._open is not None:
            self._open.is_complete = not is_cut_off
        for number, block in self._calls.items():
            block.is_complete = sent.calls[number].is_complete
        if self._open is not None:
            yield BlockClosed(self._open)

    def _grow(self, kind: BlockKind, text: str) -> Iterator[BlockEvent]:
        if self._open is None or self._open.kind is not kind or self._waiting:
            yield from self._open_waiting()
            yield from self._next(Block(kind))
        block = self.blocks[-1]
        block.texts.append(text)
        yield BlockGrown(block, text)

    def _open_calls(self) -> Iterator[BlockEvent]:
        """Open the calls that wait, as far as the calls before them have all of their arguments."""
        while self._waiting and (
            self._open is None or self._open.kind is not BlockKind.CALL or self._open.has_arguments
        ):
            yield from self._next(self._waiting.pop(0))

    def _open_waiting(self) -> Iterator[BlockEvent]:
        while self._waiting:
            yield from self._next(self._waiting.pop(0))

    def _next(self, block: Block) -> Iterator[BlockEvent]:
        """Close the open block, and open the next one."""
        before = self._open
        if before is not None:
            before.is_complete = before.kind is not BlockKind.CALL or before.has_arguments
            yield BlockClosed(before)
        self._open = block
        block.index = len(self.blocks)
        self.blocks.append(block)
        yield BlockOpened(block)
        if block.texts:
            yield BlockGrown(block, block.text)
