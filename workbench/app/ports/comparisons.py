"""The port of comparisons."""

from collections.abc import Sequence
from typing import Protocol

from workbench.records.comparisons import (
    Answer,
    Comparison,
    KeptComparison,
    ListedComparison,
    Vote,
)


class Comparisons(Protocol):
    """The comparisons of one owner's sessions. Every method commits before it returns, may raise StoreError.

    Another owner's comparison is as if there were none, and so is one whose session is deleted.
    """

    def create_comparison(self, title: str, comparison: Comparison) -> KeptComparison:
        """A new comparison, of which nothing is played yet.

        Raises:
            BadInput: It has too few columns or no turn, or holds text that cannot be stored.
        """
        ...

    def find_comparison(self, comparison_id: str) -> KeptComparison | None:
        """The comparison of that id; None where there is none."""
        ...

    def list_comparisons(self, *, limit: int = 50, offset: int = 0) -> Sequence[ListedComparison]:
        """The comparisons, the newest first."""
        ...

    def save_answer(self, comparison_id: str, answer: Answer) -> None:
        """What a column made of a turn, in place of what was there."""
        ...

    def save_vote(self, comparison_id: str, vote: Vote) -> None:
        """What is held of a turn, in place of what was.

        Raises:
            BadInput: There is no such turn or column, or fewer than two answers.
        """
        ...

    def forget_vote(self, comparison_id: str, turn: int) -> None:
        """Nothing is held of the turn any more."""
        ...
