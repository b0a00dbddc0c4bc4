"""Searches that need no model and no chance: the shortest contract that is not worse, and the best examples."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from workbench.suite.improve.candidate import Candidate
from workbench.suite.improve.moves import CALL, Move, paragraph_removals, propose_additions, sentence_removals
from workbench.suite.improve.outcome import mean_share
from workbench.suite.result import CaseResult
from workbench.suite.variants import PARAGRAPH_BREAK, parts_of

_ROUNDING: Final = 1e-9


class Tried(NamedTuple):
    """A candidate that was run."""

    candidate: Candidate
    results: Sequence[CaseResult]

    @property
    def score(self) -> float:
        """Mean share of the expectations that hold."""
        return mean_share(self.results)


TryMove = Callable[[Candidate, Move], Tried | None]
"""Runs a change of a candidate; None if it is not usable or was tried before."""


def shrink(start: Tried, try_move: TryMove, *, margin: float) -> Iterator[Tried]:
    """Leave out one part after the other, as long as the score falls by no more than `margin`.

    Yields each shorter contract. Sentences are tried before paragraphs, because a paragraph with a harmful and a useful
    sentence seems to be ballast; then the longest first. The score is compared with the best one so far. Otherwise, a
    harmful sentence that is left out would pay for a useful one. After a pass over all parts, another one starts if
    anything was left out: a part can be ballast only after another one is gone.
    """
    current, best, is_shorter = start, start.score, True
    while is_shorter:
        is_shorter, refused = False, set[str]()
        while moves := [move for move in _in_order(current.candidate) if move.change not in refused]:
            tried = try_move(current.candidate, moves[0])
            refused.add(moves[0].change)
            if tried is not None and tried.score >= best - margin - _ROUNDING:
                current, best, is_shorter = tried, max(best, tried.score), True
                yield tried


def _in_order(candidate: Candidate) -> list[Move]:
    groups = sentence_removals(candidate), paragraph_removals(candidate)
    return [
        move for group in groups for move in sorted(group, key=lambda move: len(move.candidate.contract.text))
    ]


def choose_examples(start: Tried, try_move: TryMove, pool: Sequence[str], *, limit: int) -> Iterator[Tried]:
    """Begin without the contract's own examples, and add the example that helps most, up to `limit` examples.

    Yields each contract that is at least as good as all before it. An example that does not raise the score is not
    added.
    """
    parts = [
        part.text for part in parts_of(start.candidate.contract) if not (part.label and CALL in part.text)
    ]
    bare = start.candidate.with_text(PARAGRAPH_BREAK.join(parts))
    current, best = try_move(start.candidate, Move("leave out all examples", bare)) or start, start.score
    for _ in range(limit):
        if current.score >= best:
            best = current.score
            yield current
        moves = propose_additions(current.candidate, pool, limit=limit)
        tried = [found for move in moves if (found := try_move(current.candidate, move)) is not None]
        better = max(tried, key=lambda found: found.score, default=current)
        if better.score <= current.score:
            return
        current = better
    if current.score >= best:
        yield current
