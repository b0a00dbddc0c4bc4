"""Compare the labels of several annotators: where they disagree, what is decided, and who may see what.

Idea: annotators label the same rows without seeing each other's labels. Where their labels differ, a reviewer
saves a deciding label. The deciding label is the one that is exported, and the others stay as they are.

Only labels of annotators who have submitted the row are compared, because a draft may still change.

Example: Ann and Ben have submitted a row with two calls. Ann finds both right, Ben finds the arguments of the
second one wrong. The second call is disputed until a reviewer decides about it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.records.label import Label, LabelTarget, Verdict, call_json
from workbench.toolspec.spec import canonical_json

POSITIVE: Final = frozenset({Verdict.RIGHT, Verdict.GOOD})
"""Verdicts that find nothing wrong. No label at all on a submitted row finds nothing wrong either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A message or call about which annotators disagree."""

    target: LabelTarget
    labels: tuple[Label, ...]
    """The labels of the annotators, sorted by annotator."""
    about: tuple[str, ...]
    """What differs: `verdict`, `correction`, or the name of a question."""
    decision: Label | None
    """The deciding label, or None if nobody has decided yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowComparison:
    """Comparison of the annotators' labels of one row in one project."""

    annotators: int
    """Number of annotators who have submitted the row."""
    targets: int
    """Number of messages and calls that somebody has labelled."""
    disputes: tuple[Dispute, ...]
    """In the order of the labels."""

    @property
    def undecided(self) -> int:
        """Number of disputes without a decision."""
        return sum(dispute.decision is None for dispute in self.disputes)


def compare_labels(labels: Iterable[Label], submitted: Collection[str]) -> RowComparison:
    """Compare the labels of a row.

    Args:
        labels: All labels of the row in one project.
        submitted: The annotators who have submitted the row.
    """
    by_target: dict[LabelTarget, dict[str, Label]] = defaultdict(dict)
    decisions: dict[LabelTarget, Label] = {}
    for label in labels:
        if label.is_model:
            continue
        if label.is_deciding:
            decisions[label.target] = label
        elif label.annotator in submitted:
            by_target[label.target][label.annotator] = label
    disputes: list[Dispute] = []
    if len(submitted) > 1:
        for target, by_annotator in by_target.items():
            about = _differences(by_annotator, submitted)
            if about:
                disputes.append(
                    Dispute(
                        target=target,
                        labels=tuple(label for _, label in sorted(by_annotator.items())),
                        about=about,
                        decision=decisions.get(target),
                    )
                )
    return RowComparison(annotators=len(submitted), targets=len(by_target), disputes=tuple(disputes))


def _differences(by_annotator: Mapping[str, Label], submitted: Collection[str]) -> tuple[str, ...]:
    labels = [by_annotator.get(name) for name in submitted]
    verdicts = {label.content.verdict if label else None for label in labels}
    given = verdicts - {None}
    about: list[str] = []
    # A missing verdict differs only from a negative one.
    if len(given) > 1 or (None in verdicts and given - POSITIVE):
        about.append("verdict")
    if len({_correction_key(label) for label in labels}) > 1:
        about.append("correction")
    answers: dict[str, set[str]] = defaultdict(set)
    for label in labels:
        for name, answer in label.content.answers.items() if label else ():
            answers[name].add(answer)
    about += sorted(name for name, different in answers.items() if len(different) > 1)
    return tuple(about)


def _correction_key(label: Label | None) -> str | None:
    correction = label.content.correction if label else None
    return correction if isinstance(correction, str | None) else canonical_json(call_json(correction))


def visible_labels(
    labels: Iterable[Label], annotator: str, *, sees_all: bool, has_submitted: bool
) -> Sequence[Label]:
    """Return the labels of a row that an annotator may see.

    Args:
        labels: All labels of the row in one project.
        annotator: Who looks at them.
        sees_all: Whether they decide disagreements. They see everything, unless they still label the row.
        has_submitted: Whether they have submitted the row themselves.
    """
    if sees_all or has_submitted:
        return tuple(labels)
    return tuple(
        label
        for label in labels
        if not label.is_deciding and not label.is_model and label.annotator == annotator
    )
