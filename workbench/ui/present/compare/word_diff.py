"""What changed from one text to another, word by word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from workbench.chat.sequence_match import BoundedMatcher
from workbench.ui.present.edits import common_size_chars

WORDS_COMPARED: Final = 1500
"""Where both sides have changed over more words than this, the change is shown as one."""

WORD_CHARS: Final = 100
"""What is longer than this is no word of a language."""

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffWord:
    """A stretch of a text that is compared with another."""

    text: str
    """Byte for byte."""
    kind: str = "same"
    """`same` stands in both, `add` in the new one alone, `drop` in the old one alone."""


def diff_words(before: str, after: str) -> tuple[DiffWord, ...]:
    """The two texts as one; pieces that are not `drop` join to `after`, those that are not `add` to `before`.

    >>> [(piece.kind, piece.text) for piece in diff_words("It is 31.", "It is 27.")]
    [('same', 'It is '), ('drop', '31'), ('add', '27'), ('same', '.')]
    """
    start = _word_border(before, after, common_size_chars(before, after))
    ends = before[start:][::-1], after[start:][::-1]
    end = _word_border(*ends, common_size_chars(*ends))
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    pieces = (("same", after[:start]), *_changes(old, new), ("same", after[len(after) - end :]))
    return tuple(DiffWord(kind=kind, text=text) for kind, text in pieces if text)


def _changes(old: str, new: str) -> Iterator[tuple[str, str]]:
    left, right = _WORD.findall(old), _WORD.findall(new)
    if min(len(left), len(right)) == 0 or max(len(left), len(right)) > WORDS_COMPARED:
        yield from (("drop", old), ("add", new))
        return
    for tag, i, j, m, n in BoundedMatcher(left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            yield "same", "".join(right[m:n])
        else:
            yield from (("drop", "".join(left[i:j])), ("add", "".join(right[m:n])))


def _word_border(one: str, other: str, size: int) -> int:
    """`size`, or less: so far that no word is cut in either text; a very long one is cut all the same."""
    for border in range(size, max(size - WORD_CHARS, 0), -1):
        if not (_is_inside(one, border) or _is_inside(other, border)):
            return border
    return size if size > WORD_CHARS else 0


def _is_inside(text: str, place: int) -> bool:
    return place < len(text) and bool(re.match(r"\w\w", text[place - 1 : place + 1]))
