"""Where the tokens of a text stand in it."""

from collections.abc import Sequence
from itertools import accumulate

from workbench.chat.finding import Span
from workbench.errors import EngineError
from workbench.trajectory.mask import Token


def placed_tokens(text: str, ids: Sequence[int], pieces: Sequence[bytes]) -> tuple[Token, ...]:
    """The tokens with their spans in code points; one that holds part of a code point covers all of it.

    Args:
        text: All of it.
        ids: Its tokens, in order; some may stand before the text begins.
        pieces: The bytes that each stands for.

    Raises:
        EngineError: The pieces do not end with the text: the vocabulary changes what it is given.

    >>> [token.span for token in placed_tokens("aé", [0, 1, 2, 3], [b"<s>", b"a", b"\\xc3", b"\\xa9"])]
    [Span(start=0, end=0), Span(start=0, end=1), Span(start=1, end=2), Span(start=1, end=2)]
    """
    data = text.encode(errors="replace")
    ends = list(accumulate(map(len, pieces)))
    before = (ends[-1] if ends else 0) - len(data)
    if before < 0 or not b"".join(pieces).endswith(data):
        raise EngineError("the model's vocabulary changes the text: its tokens have no places in it")
    starts_char = [index for index, byte in enumerate(data) if byte & 0xC0 != 0x80]
    char_at = _chars_at(starts_char, len(data))
    found: list[Token] = []
    for one, piece, end in zip(ids, pieces, ends, strict=True):
        first, last = max(0, end - len(piece) - before), end - before
        span = Span(0, 0) if last <= 0 else Span(char_at[first], char_at[last - 1] + 1)
        found.append(Token(one, span))
    return tuple(found)


def _chars_at(starts: Sequence[int], size: int) -> list[int]:
    """For each byte, the place of the code point that it belongs to."""
    found = [0] * size
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else size
        found[start:end] = [place] * (end - start)
    return found
