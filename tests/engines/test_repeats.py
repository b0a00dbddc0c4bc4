"""A repeated block ends the stream and is not part of it."""

import pytest

from workbench.engines.llama_completion import Repeats


def through(text, size):
    repeats, shown = Repeats(between="\n<b>\n"), ""
    for start in range(0, len(text), size):
        piece, is_over = repeats.feed(text[start : start + size])
        shown += piece
        if is_over:
            return shown, True
    return shown + repeats.flush(), False


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(
    ("text", "shown", "is_over"),
    [
        ("one", "one", False),
        ("one\n<b>\ntwo", "one\n<b>\ntwo", False),
        ("one\n<b>\nonly", "one\n<b>\nonly", False),
        ("\none\n<b", "\none\n<b", False),
        ("one\n<b>\nthree\n<b>\nthr", "one\n<b>\nthree\n<b>\nthr", False),
    ],
)
def test_different_blocks_pass_through(size, text, shown, is_over):
    assert through(text, size) == (shown, is_over)


@pytest.mark.parametrize("text", ["one;\n<b>\none;", "\none;\n<b>\ntwo;\n<b>\none;\n<b>\n"])
def test_a_repeated_block_is_left_out(text):
    shown, is_over = through(text, 1)
    assert is_over
    assert shown == text.removesuffix("\n<b>\n")[: text.removesuffix("\n<b>\n").rindex("\n<b>\n")]
