"""The pieces of an answer become blocks that follow each other, and no piece is lost."""

import random

import pytest

from tests.gateway.answers import answered, completions, options_of, pieces_of
from workbench.gateway.answer import (
    ArgumentsPiece,
    CallClosing,
    CallOpening,
    ContentPiece,
    ReasoningPiece,
    SentAnswer,
)
from workbench.gateway.blocks import BlockClosed, BlockGrown, BlockKind, BlockOpened, BlockWriter


def blocks_of(pieces):
    """Return kind, text and completeness of each block, and check that each ends before the next one begins."""
    writer = BlockWriter()
    changes = [change for piece in pieces for change in writer.read(piece)]
    changes += writer.finish(is_cut_off=False)
    open_block, texts = None, {}
    for change in changes:
        match change:
            case BlockOpened(block):
                assert open_block is None and block.index == len(texts)
                open_block, texts[block.index] = block, ""
            case BlockGrown(block, text):
                assert block is open_block
                texts[block.index] += text
            case BlockClosed(block):
                assert block is open_block
                open_block = None
    assert open_block is None and [block.text for block in writer.blocks] == list(texts.values())
    return [(block.kind, block.text, block.is_complete) for block in writer.blocks]


TEXT, THOUGHT, CALL = BlockKind.TEXT, BlockKind.THOUGHT, BlockKind.CALL
START, OTHER = CallOpening(0, "a", "f"), CallOpening(1, "b", "g")
CASES = {
    "nothing": ([], []),
    "texts": (
        [ContentPiece("a"), ContentPiece("b"), ReasoningPiece("c"), ContentPiece("d")],
        [(TEXT, "ab", True), (THOUGHT, "c", True), (TEXT, "d", True)],
    ),
    "a call that could not be read, then its text": (
        [START, ArgumentsPiece(0, '{"a"'), CallClosing(0, False), ContentPiece("text"), ContentPiece("more")],
        [(CALL, '{"a"', False), (TEXT, "textmore", True)],
    ),
    "a text within the arguments of a server's call": (
        [START, ArgumentsPiece(0, '{"a": '), ContentPiece("x"), ReasoningPiece("y"), ArgumentsPiece(0, "1}"), ContentPiece("z"), CallClosing(0, True)],
        [(CALL, '{"a": 1}', True), (TEXT, "x", True), (THOUGHT, "y", True), (TEXT, "z", True)],
    ),
    "a call without arguments, then a text": (
        [START, ContentPiece("x"), ArgumentsPiece(0, "{}"), CallClosing(0, True)],
        [(CALL, "{}", True), (TEXT, "x", True)],
    ),
    "calls whose pieces mix": (
        [START, OTHER, ArgumentsPiece(1, '{"b": '), ArgumentsPiece(0, '{"a": 1'), ArgumentsPiece(1, "2}"), ArgumentsPiece(0, "}"), CallClosing(0, True), CallClosing(1, True)],
        [(CALL, '{"a": 1}', True), (CALL, '{"b": 2}', True)],
    ),
    "a server's call that was cut off": (
        [START, ArgumentsPiece(0, '{"a'), OTHER, CallClosing(0, False), CallClosing(1, False)],
        [(CALL, '{"a', False), (CALL, "", False)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_blocks(name):
    pieces, expected = CASES[name]
    assert blocks_of(pieces) == expected


def test_a_text_after_a_call_that_could_not_be_read_is_not_held_back():
    writer = BlockWriter()
    for piece in (START, ArgumentsPiece(0, '{"a"'), CallClosing(0, False)):
        list(writer.read(piece))
    closed, opened, grown = writer.read(ContentPiece("text"))
    assert (type(closed), type(opened), grown.text) == (BlockClosed, BlockOpened, "text")


def test_blocks_hold_everything_that_a_chat_completion_holds():
    for row in completions(300):
        _, pieces = answered(pieces_of(row["text"], 7), **options_of(row))
        answer = SentAnswer()
        for piece in pieces:
            answer.add(piece)
        blocks = blocks_of(pieces)
        texts = {
            kind: "".join(text for found, text, _ in blocks if found is kind) for kind in (TEXT, THOUGHT)
        }
        assert texts == {TEXT: "".join(answer.content), THOUGHT: "".join(answer.reasoning)}, row["id"]
        calls = [(text, is_complete) for kind, text, is_complete in blocks if kind is CALL]
        assert calls == [("".join(call.arguments), call.is_complete) for call in answer.calls], row["id"]


def test_pieces_of_parallel_calls_in_any_order():
    texts = ['{"a": [1, 2]}', "{}", '{"b": "x"}']
    for seed in range(200):
        chance = random.Random(seed)
        left = [[CallOpening(number, f"c{number}", "f"), *(ArgumentsPiece(number, char) for char in text)] for number, text in enumerate(texts)]  # fmt: skip
        pieces = [left[0].pop(0), left[1].pop(0), left[2].pop(0)] if seed % 2 else []
        while any(left):
            pieces.append(chance.choice([queue for queue in left if queue]).pop(0))
        order = [piece.number for piece in pieces if isinstance(piece, CallOpening)]
        pieces += [CallClosing(number, True) for number in range(3)]
        assert blocks_of(pieces) == [(CALL, texts[number], True) for number in order]


def test_a_call_without_an_end_is_not_complete():
    assert blocks_of([START, ArgumentsPiece(0, '{"a": 1')]) == [(CALL, '{"a": 1', False)]
