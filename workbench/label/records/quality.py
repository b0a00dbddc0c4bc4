"""Judge rows, lots and annotators: is a row bad, is a lot accepted, how often is an annotator right.

Only labels of people count here, except where a model's accuracy on gold rows is shown beside that of the annotators.

Gold rows are rows whose right labels are known: the deciding labels in the project. They are in the queue of every
annotator like any other row. What an annotator found on a gold row is compared with what is right there.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from workbench.label.records.review import POSITIVE, compare_labels
from workbench.label.records.sampling import SamplingPlan
from workbench.records.label import Label, LabelTarget, Verdict, annotator_name
from workbench.records.label_words import CLOSED_STATES, QueueState
from workbench.suite.compare import Interval, wilson

_FINE: Final = POSITIVE | {Verdict.FIRST_BETTER}
"""Verdicts that find nothing wrong with a row."""


class RowOutcome(StrEnum):
    """What people found out about a row."""

    OPEN = "open"
    """Somebody has not submitted it, or a disagreement is not decided."""
    GOOD = "good"
    BAD = "bad"
    """A verdict finds something wrong, or all annotators have rejected it."""


def row_outcome(labels: Iterable[Label], states: Mapping[str, QueueState]) -> RowOutcome:
    """Return the outcome of a row.

    Args:
        labels: All labels of the row in the project.
        states: The state of the row for each annotator to whom it is assigned.
    """
    if not states or any(state not in CLOSED_STATES for state in states.values()):
        return RowOutcome.OPEN
    submitted = [name for name, state in states.items() if state is QueueState.DONE]
    people = [label for label in labels if not label.is_model]
    if not submitted:
        return RowOutcome.BAD
    if compare_labels(people, submitted).undecided:
        return RowOutcome.OPEN
    decided = {label.target for label in people if label.is_deciding}
    counting = (
        label
        for label in people
        if label.is_deciding or (label.target not in decided and label.annotator in submitted)
    )
    verdicts = {label.content.verdict for label in counting} - {None}
    return RowOutcome.BAD if verdicts - _FINE else RowOutcome.GOOD


class LotVerdict(StrEnum):
    """Whether a lot is accepted."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """Rows that are accepted or rejected together, by a sample of them."""

    name: str
    chosen: str
    """The filter that chose the rows, as text. Empty for all rows."""
    plan: SamplingPlan
    seed: int
    rows: tuple[str, ...]
    """The sessions of the sample."""
    created_at: datetime
    """UTC."""
    verdict: LotVerdict = LotVerdict.OPEN
    """The verdict that was recorded. It does not change with later labels."""
    bad_count: int = 0
    """Number of bad rows when the verdict was recorded."""
    decided_at: datetime | None = None
    """When the verdict was recorded, UTC."""
    decided_by: str = ""


class LotState(NamedTuple):
    """How far a lot is, by the current labels."""

    lot: Lot
    judged: int
    """Rows of the sample with an outcome."""
    bad: int

    @property
    def verdict(self) -> LotVerdict:
        """The recorded verdict; without one, what follows from the current labels.

        A lot is rejected as soon as too many rows are bad, and accepted once the others cannot change that.
        """
        plan = self.lot.plan
        if self.lot.verdict is not LotVerdict.OPEN:
            return self.lot.verdict
        if self.bad > plan.accept:
            return LotVerdict.REJECTED
        left = plan.sample - self.judged
        return LotVerdict.ACCEPTED if self.bad + left <= plan.accept else LotVerdict.OPEN

    def describe(self) -> str:
        """Return how far the lot is as one line."""
        lot = self.lot
        if lot.decided_at:
            who = f" by {lot.decided_by}" if lot.decided_by else ""
            return f"{lot.verdict} with {lot.bad_count} bad, recorded on {lot.decided_at:%Y-%m-%d}{who}"
        return f"{self.verdict}: {self.judged} of {lot.plan.sample} judged, {self.bad} bad"


class GoldAccuracy(NamedTuple):
    """How often an annotator is right on gold rows."""

    name: str
    is_model: bool
    right: int
    total: int
    """Verdicts and answers that are known, on the gold rows that the annotator has submitted."""

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the accuracy (Wilson)."""
        return wilson(self.right, self.total)

    def describe(self) -> str:
        """Return the accuracy as one line."""
        name = annotator_name(self.name, is_model=self.is_model)
        if not self.total:
            return f"{name}: no gold row yet"
        low, high = self.interval
        share = f"{self.right / self.total:.0%} right ({self.right} of {self.total})"
        return f"{name}: {share}, 95 % interval {low:.0%} to {high:.0%}"


def gold_accuracies(
    labels: Iterable[Label], submitted: Mapping[str, Iterable[str]]
) -> Sequence[GoldAccuracy]:
    """Return the accuracy of each annotator, people first, then models, each sorted by name.

    Args:
        labels: All labels of the gold rows in the project.
        submitted: For each gold row, the annotators who have submitted it. A model has submitted what it has labelled.
    """
    right: dict[LabelTarget, Label] = {}
    given: dict[tuple[bool, str], dict[LabelTarget, Label]] = defaultdict(dict)
    done: dict[tuple[bool, str], set[str]] = defaultdict(set)
    for label in labels:
        if label.is_deciding:
            right[label.target] = label
        else:
            given[label.is_model, label.annotator][label.target] = label
            if label.is_model:
                done[True, label.annotator].add(label.target.session_id)
    for session_id, names in submitted.items():
        for name in names:
            done[False, name].add(session_id)
    found: list[GoldAccuracy] = []
    for (is_model, name), sessions in sorted(done.items()):
        answers = [
            is_right
            for target, label in right.items()
            if target.session_id in sessions
            for is_right in _matches(label, given[is_model, name].get(target))
        ]
        found.append(GoldAccuracy(name, is_model, sum(answers), len(answers)))
    return found


def _matches(right: Label, given: Label | None) -> Iterator[bool]:
    """Yield whether the verdict and each answer are right. Without a verdict, a submitted row is found fine."""
    expected, verdict = right.content.verdict, given.content.verdict if given else None
    if expected is not None:
        yield verdict is expected or (verdict is None and expected in _FINE)
    answers: Mapping[str, str] = given.content.answers if given else {}
    for name, answer in right.content.answers.items():
        yield answers.get(name) == answer
