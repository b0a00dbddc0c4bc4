"""Where two prompts of one conversation differ: a contract's and that of the model's own template."""

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final

from workbench.chat.sequence_match import BoundedMatcher
from workbench.chat.span import Span
from workbench.hermes.spelling.chatml import ANY_MARK_XML

_LINE_OR_BREAK: Final = re.compile(r"[^\n]+|\n")


class Change(StrEnum):
    """How a stretch differs."""

    ONLY_OURS = "only ours"
    ONLY_THEIRS = "only theirs"
    OTHERWISE = "otherwise"


_CHANGES: Final = {"delete": Change.ONLY_OURS, "insert": Change.ONLY_THEIRS, "replace": Change.OTHERWISE}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDifference:
    """One stretch in which two prompts differ."""

    change: Change
    """Which of the two has it."""
    ours: Span
    """In the contract's prompt; empty where it has nothing."""
    theirs: Span
    """In the template's prompt; empty where it has nothing."""
    has_mark: bool
    """True where a mark is among what differs: the model will notice."""


def diff_prompts(ours: str, theirs: str) -> tuple[PromptDifference, ...]:
    """All differences, in order; empty where the prompts are equal.

    Marks and lines are compared as wholes, so that a difference never cuts a mark.

    >>> [d.change.value for d in diff_prompts("<|im_start|>tool\\nx", "<|im_start|>user\\nx")]
    ['otherwise']
    """
    our_pieces, their_pieces = _pieces(ours), _pieces(theirs)
    our_places = [0, *accumulate(map(len, our_pieces))]
    their_places = [0, *accumulate(map(len, their_pieces))]
    # Its `autojunk` keeps thousands of line breaks from being compared each with each.
    matcher = BoundedMatcher(our_pieces, their_pieces)
    differences: list[PromptDifference] = []
    for kind, our_start, our_end, their_start, their_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        changed = our_pieces[our_start:our_end] + their_pieces[their_start:their_end]
        differences.append(
            PromptDifference(
                change=_CHANGES[kind],
                ours=Span(our_places[our_start], our_places[our_end]),
                theirs=Span(their_places[their_start], their_places[their_end]),
                has_mark=any(ANY_MARK_XML.fullmatch(piece) for piece in changed),
            )
        )
    return tuple(differences)


def _pieces(text: str) -> list[str]:
    """Marks, lines and line breaks, each a piece; together they are `text`."""
    pieces: list[str] = []
    position = 0
    for match in ANY_MARK_XML.finditer(text):
        pieces += _LINE_OR_BREAK.findall(text, position, match.start())
        pieces.append(match[0])
        position = match.end()
    return pieces + _LINE_OR_BREAK.findall(text, position)
