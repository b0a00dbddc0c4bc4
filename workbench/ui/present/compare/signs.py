"""Mark how an answer differs from another: calls, arguments, fixes, and words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from workbench.chat.sequence_match import BoundedMatcher
from workbench.ui.present.blocks import CallCard
from workbench.ui.present.compare.answer import AnswerReading
from workbench.ui.present.text_spans import common_size_chars
from workbench.ui.present.words import count

SAME, OTHER, ADDED, MISSING, FIRST = "=", "≠", "+", "−", ""
"""As in the first column, other than there, not there, only there; the first column itself has no sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentView:
    """An argument of a call."""

    sign: str
    """Against the first column's call."""
    name: str
    value: str
    """JSON; empty where it is missing."""
    was: str = ""
    """The first column's value, where it is other; JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """A call of a column."""

    sign: str
    """Against the first column's calls."""
    card: CallCard
    """The call; of one that is missing, the first column's."""
    arguments: tuple[ArgumentView, ...]
    """In the order written, missing ones last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixLine:
    """A kind of fix."""

    sign: str
    """Against the first column's fixes."""
    code: str
    is_guess: bool
    """True where another meaning is possible."""
    note: str


def sign_calls(calls: Sequence[CallCard], first: Sequence[CallCard] | None) -> tuple[CallView, ...]:
    """The calls against those of the first column; None where this is the first."""
    if first is None:
        return tuple(_call(FIRST, card, card) for card in calls)
    return tuple(_signed(calls, first))


def sign_fixes(one: AnswerReading, first: AnswerReading | None) -> tuple[FixLine, ...]:
    """The fixes against those of the first column; None where this is the first."""
    if first is None:
        return tuple(_fix(FIRST, kind, times) for kind, times in one.fixes.items())
    lines = [
        _fix(_fix_sign(times, first.fixes.get(kind, 0)), kind, times) for kind, times in one.fixes.items()
    ]
    gone = [_fix(MISSING, kind, times) for kind, times in first.fixes.items() if not one.fixes.get(kind)]
    return (*lines, *gone)


def _signed(calls: Sequence[CallCard], first: Sequence[CallCard]) -> Iterator[CallView]:
    names = [card.name for card in first], [card.name for card in calls]
    for tag, i, j, m, n in BoundedMatcher(*names, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (_paired(card, was) for card, was in zip(calls[m:n], first[i:j], strict=True))
        else:
            yield from (_call(MISSING, card, card) for card in first[i:j])
            yield from (_call(ADDED, card, card) for card in calls[m:n])


def _paired(card: CallCard, was: CallCard) -> CallView:
    here = {one.name: one.value for one in card.arguments}
    there = {one.name: one.value for one in was.arguments}
    return _call(SAME if here == there else OTHER, card, was)


def _call(sign: str, card: CallCard, was: CallCard) -> CallView:
    if sign != OTHER:
        rows = tuple(ArgumentView(sign=FIRST, name=one.name, value=one.value) for one in card.arguments)
        return CallView(sign=sign, card=card, arguments=rows)
    there = {one.name: one.value for one in was.arguments}
    here = [_argument(one.name, one.value, there.get(one.name)) for one in card.arguments]
    names = {one.name for one in card.arguments}
    gone = [
        ArgumentView(sign=MISSING, name=name, value="", was=value)
        for name, value in there.items()
        if name not in names
    ]
    return CallView(sign=sign, card=card, arguments=(*here, *gone))


def _argument(name: str, value: str, was: str | None) -> ArgumentView:
    if was is None:
        return ArgumentView(sign=ADDED, name=name, value=value)
    if was == value:
        return ArgumentView(sign=SAME, name=name, value=value)
    return ArgumentView(sign=OTHER, name=name, value=value, was=was)


def _fix_sign(times: int, was: int) -> str:
    return ADDED if not was else SAME if was == times else OTHER


def _fix(sign: str, kind: tuple[str, bool], times: int) -> FixLine:
    return FixLine(sign=sign, code=kind[0], is_guess=kind[1], note=count(times, "time"))


def parts_that_differ(one: AnswerReading, first: AnswerReading) -> tuple[str, ...]:
    """Names of what is not as in the first column; empty where all is."""
    pairs = zip_longest(one.calls, first.calls)
    is_called_alike = all(
        card and was and (card.name, dict(_values(card))) == (was.name, dict(_values(was)))
        for card, was in pairs
    )
    differs = {
        "calls": not is_called_alike or len(one.broken) != len(first.broken),
        "answer": one.text != first.text,
        "fixes": dict(one.fixes) != dict(first.fixes),
    }
    return tuple(name for name, is_other in differs.items() if is_other)


def _values(card: CallCard) -> Iterator[tuple[str, str]]:
    return ((one.name, one.value) for one in card.arguments)


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
