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
    """The messages after the user's message. Empty if there is no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTurn:
    """A turn with its answers."""

    question: str
    """The user's text. Empty if the message was deleted."""
    answers: Mapping[int, OpenedAnswer] = field(hash=False)
    """By the index of the column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedComparison:
    """A comparison with the messages of its answers."""

    stored: StoredComparison
    turns: tuple[OpenedTurn, ...]


def open_comparison(services: Services, stored: StoredComparison) -> OpenedComparison:
    """Load all messages of a comparison's answers.

    Raises:
        StoreError: The session cannot be read.
    """
    comparison = stored.comparison
    path = services.sessions.path(comparison.session_id, leaf_id=comparison.turns[-1])
    messages = {message.id: message for message in path}
    return OpenedComparison(
        stored=stored,
        turns=tuple(
            OpenedTurn(
                question=messages[turn_id].message.text if turn_id in messages else "",
                answers={
                    answer.column: open_answer(services, stored, answer)
                    for answer in stored.answers
                    if answer.turn == turn
                },
            )
            for turn, turn_id in enumerate(comparison.turns)
        ),
    )


def open_answer(services: Services, stored: StoredComparison, answer: ComparisonAnswer) -> OpenedAnswer:
    """Load the messages of one answer. The path is empty if the answer has none.

    Raises:
        StoreError: The messages cannot be read.
    """
    if answer.leaf_id is None:
        return OpenedAnswer(answer=answer, path=())
    path = services.sessions.path(stored.comparison.session_id, leaf_id=answer.leaf_id)
    ids = [message.id for message in path]
    start = ids.index(answer.asked_id) + 1 if answer.asked_id in ids else len(ids)
    return OpenedAnswer(answer=answer, path=path[start:])


def find_comparison(services: Services, comparison_id: str) -> StoredComparison:
    """Return the comparison with this id.

    Raises:
        StoreError: The comparison does not exist or cannot be read.
    """
    found = services.comparisons.find_comparison(comparison_id)
    if found is None:
        raise StoreError(f"there is no comparison {comparison_id!r}; its session may have been deleted")
    return found
