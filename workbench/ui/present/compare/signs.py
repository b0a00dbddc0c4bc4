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
"""Same as in the first column, different, only here, only in the first column. The first column has no sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentView:
    """An argument of a call, compared with the first column."""

    sign: str
    """Compared with the call of the first column."""
    name: str
    value: str
    """The value as JSON. Empty if the argument is missing."""
    was: str = ""
    """The value in the first column as JSON, if it differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """A call of a column, compared with the first column."""

    sign: str
    """Compared with the calls of the first column."""
    card: CallCard
    """The call. For a missing call, that of the first column."""
    arguments: tuple[ArgumentView, ...]
    """In the order in which the model wrote them, missing ones last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixLine:
    """A kind of fix, compared with the first column."""

    sign: str
    """Compared with the fixes of the first column."""
    code: str
    is_guess: bool
    """True if the text could also have meant something else."""
    note: str


def sign_calls(calls: Sequence[CallCard], first: Sequence[CallCard] | None) -> tuple[CallView, ...]:
    """Compare calls with those of the first column. `first` is None for the first column itself."""
    if first is None:
        return tuple(_call(FIRST, card, card) for card in calls)
    return tuple(_signed(calls, first))


def sign_fixes(answer: AnswerReading, first: AnswerReading | None) -> tuple[FixLine, ...]:
    """Compare fixes with those of the first column. `first` is None for the first column itself."""
    if first is None:
        return tuple(_fix(FIRST, kind, times) for kind, times in answer.fixes.items())
    lines = [
        _fix(_fix_sign(times, first.fixes.get(kind, 0)), kind, times) for kind, times in answer.fixes.items()
    ]
    missing = [
        _fix(MISSING, kind, times) for kind, times in first.fixes.items() if not answer.fixes.get(kind)
    ]
    return (*lines, *missing)


def _signed(calls: Sequence[CallCard], first: Sequence[CallCard]) -> Iterator[CallView]:
    """Align the calls of two columns by their names, in order.

    Aligned calls are the same or have different arguments. For example, the calls `weather, time` against `time, news`
    give `weather` as added, `time` as a pair, and `news` as missing.
    """
    names = [card.name for card in first], [card.name for card in calls]
    for tag, i, j, m, n in BoundedMatcher(*names, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (
                _paired(card, first_card) for card, first_card in zip(calls[m:n], first[i:j], strict=True)
            )
        else:
            yield from (_call(MISSING, card, card) for card in first[i:j])
            yield from (_call(ADDED, card, card) for card in calls[m:n])


def _paired(card: CallCard, first_card: CallCard) -> CallView:
    is_same = dict(_values(card)) == dict(_values(first_card))
    return _call(SAME if is_same else OTHER, card, first_card)


def _call(sign: str, card: CallCard, first_card: CallCard) -> CallView:
    if sign != OTHER:
        rows = tuple(ArgumentView(sign=FIRST, name=name, value=value) for name, value in _values(card))
        return CallView(sign=sign, card=card, arguments=rows)
    first_values, names = dict(_values(first_card)), dict(_values(card))
    arguments = [_argument(name, value, first_values.get(name)) for name, value in _values(card)]
    missing = [
        ArgumentView(sign=MISSING, name=name, value="", was=value)
        for name, value in first_values.items()
        if name not in names
    ]
    return CallView(sign=sign, card=card, arguments=(*arguments, *missing))


def _argument(name: str, value: str, first_value: str | None) -> ArgumentView:
    if first_value is None:
        return ArgumentView(sign=ADDED, name=name, value=value)
    if first_value == value:
        return ArgumentView(sign=SAME, name=name, value=value)
    return ArgumentView(sign=OTHER, name=name, value=value, was=first_value)


def _fix_sign(times: int, first_times: int) -> str:
    return ADDED if not first_times else SAME if first_times == times else OTHER


def _fix(sign: str, kind: tuple[str, bool], times: int) -> FixLine:
    return FixLine(sign=sign, code=kind[0], is_guess=kind[1], note=count(times, "time"))


def parts_that_differ(answer: AnswerReading, first: AnswerReading) -> tuple[str, ...]:
    """Return which of `calls`, `answer` and `fixes` differ from the first column."""
    pairs = zip_longest(answer.calls, first.calls)
    has_same_calls = all(
        card
        and first_card
        and (card.name, dict(_values(card))) == (first_card.name, dict(_values(first_card)))
        for card, first_card in pairs
    )
    differs = {
        "calls": not has_same_calls or len(answer.broken) != len(first.broken),
        "answer": answer.text != first.text,
        "fixes": dict(answer.fixes) != dict(first.fixes),
    }
    return tuple(name for name, is_different in differs.items() if is_different)


def _values(card: CallCard) -> Iterator[tuple[str, str]]:
    return ((argument.name, argument.value) for argument in card.arguments)


WORDS_COMPARED: Final = 1500
"""A change of more words than this is shown as one replacement."""

WORD_CHARS: Final = 100
"""Longer runs of letters are not words of a language and may be cut."""

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffWord:
    """A part of a word diff."""

    text: str
    """The text, byte for byte."""
    kind: str = "same"
    """`same` for text in both, `add` for text only in the new one, `drop` for text only in the old one."""


def diff_words(before: str, after: str) -> tuple[DiffWord, ...]:
    """Return a word diff of two texts.

    The pieces that are not `drop`, joined, are `after`. Those that are not `add`, joined, are `before`.

    >>> [(piece.kind, piece.text) for piece in diff_words("It is 31.", "It is 27.")]
    [('same', 'It is '), ('drop', '31'), ('add', '27'), ('same', '.')]
    """
    start = _word_border(before, after, common_size_chars(before, after))
    ends = before[start:][::-1], after[start:][::-1]
    end = _word_border(*ends, common_size_chars(*ends))
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    pieces = (("same", after[:start]), *_changes(old, new), ("same", after[len(after) - end :]))
    return tuple(DiffWord(kind=kind, text=text) for kind, text in pieces if text)


ALIKE_SHARE: Final = 0.5
"""The smallest share of common letters for which a word diff can be read."""


def are_alike(pieces: Sequence[DiffWord]) -> bool:
    """Return whether so much of both texts is the same that a reader can follow their diff.

    Otherwise the diff alternates single words that happen to be in both, such as `the` or a comma.

    >>> are_alike(diff_words("It is 31.", "It is 27.")), are_alike(diff_words("Done, the tea.", "I am the one."))
    (True, False)
    """
    letters = {"same": 0, "add": 0, "drop": 0}
    for piece in pieces:
        letters[piece.kind] += sum(map(str.isalnum, piece.text))
    return letters["same"] >= ALIKE_SHARE * (letters["same"] + max(letters["add"], letters["drop"]))


def _changes(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Compare two texts word by word, as pairs of kind and text."""
    left, right = _WORD.findall(old), _WORD.findall(new)
    if min(len(left), len(right)) == 0 or max(len(left), len(right)) > WORDS_COMPARED:
        yield from (("drop", old), ("add", new))
        return
    for tag, i, j, m, n in BoundedMatcher(left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            yield "same", "".join(right[m:n])
        else:
            yield from (("drop", "".join(left[i:j])), ("add", "".join(right[m:n])))


def _word_border(left: str, right: str, size: int) -> int:
    """Return the largest size up to `size` that cuts no word in either text. Very long words are cut anyway."""
    for border in range(size, max(size - WORD_CHARS, 0), -1):
        if not (_is_inside(left, border) or _is_inside(right, border)):
            return border
    return size if size > WORD_CHARS else 0


def _is_inside(text: str, place: int) -> bool:
    return place < len(text) and bool(re.match(r"\w\w", text[place - 1 : place + 1]))
