"""Load a comparison for display: each turn with its question and the messages of its answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.app.services import Services
from workbench.errors import StoreError
from workbench.records.comparisons import ComparisonAnswer, StoredComparison
from workbench.records.sessions import StoredMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedAnswer:
    """An answer with its messages."""

    answer: ComparisonAnswer
    path: Sequence[StoredMessage]
    """Behind the user's message; empty where nothing came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTurn:
    """A turn with its answers."""

    question: str
    """What the user says; empty where the message is gone."""
    answers: Mapping[int, OpenedAnswer] = field(hash=False)
    """By the column's place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedComparison:
    """A comparison, looked at."""

    stored: StoredComparison
    turns: tuple[OpenedTurn, ...]
    """In order."""


def open_comparison(services: Services, kept: StoredComparison) -> OpenedComparison:
    """The comparison with all messages of its answers.

    Raises:
        StoreError: The session cannot be read.
    """
    asked = kept.comparison
    said = {one.id: one for one in services.sessions.path(asked.session_id, leaf_id=asked.turns[-1])}
    return OpenedComparison(
        stored=kept,
        turns=tuple(
            OpenedTurn(
                question=said[turn_id].message.text if turn_id in said else "",
                answers={
                    answer.column: open_answer(services, kept, answer)
                    for answer in kept.answers
                    if answer.turn == turn
                },
            )
            for turn, turn_id in enumerate(asked.turns)
        ),
    )


def open_answer(services: Services, kept: StoredComparison, answer: ComparisonAnswer) -> OpenedAnswer:
    """An answer with its messages; where they are gone by now, it says so."""
    if answer.leaf_id is None:
        return OpenedAnswer(answer=answer, path=())
    path = services.sessions.path(kept.comparison.session_id, leaf_id=answer.leaf_id)
    ids = [one.id for one in path]
    border = ids.index(answer.asked_id) + 1 if answer.asked_id in ids else len(ids)
    return OpenedAnswer(answer=answer, path=path[border:])


def find_comparison(services: Services, comparison_id: str) -> StoredComparison:
    """The comparison of that id.

    Raises:
        StoreError: There is none, or it cannot be read.
    """
    found = services.comparisons.find_comparison(comparison_id)
    if found is None:
        raise StoreError(f"there is no comparison {comparison_id!r}; its session may be deleted")
    return found
