"""Show the samples for review of a labelling project: its lots, gold rows, and the agreement of models."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.label.app.judge import JudgedRow
from workbench.label.records.agreement import ProjectAgreement
from workbench.label.records.quality import GoldAccuracy, LotState, LotVerdict
from workbench.records.label import annotator_name
from workbench.ui.present.words import count


@dataclass(frozen=True, slots=True, kw_only=True)
class LotView:
    """A lot of rows."""

    name: str
    plan: str
    """The rule and both risks."""
    state: str
    can_record: bool
    """Whether the labels decide it, and nobody has recorded the verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewView:
    """The samples for review of a project."""

    lots: tuple[LotView, ...] = ()
    accuracies: tuple[str, ...] = ()
    """How often each annotator is right on the gold rows, a line each."""
    models: tuple[str, ...] = ()
    """The agreement of each model with each person, a line each."""


def describe_judged(model: str, rows: Sequence[JudgedRow]) -> str:
    """Describe what a model labelled.

    >>> describe_judged("small", [JudgedRow(session_id="s", labelled=2, unclear=1)])
    'small (model): 2 labels in 1 row, 1 without a valid answer.'
    """
    labelled, unclear = sum(row.labelled for row in rows), sum(row.unclear for row in rows)
    who = annotator_name(model, is_model=True)
    return (
        f"{who}: {count(labelled, 'label')} in {count(len(rows), 'row')}, {unclear} without a valid answer."
    )


def show_review(
    lots: Sequence[LotState], accuracies: Sequence[GoldAccuracy], agreement: ProjectAgreement
) -> ReviewView:
    """Show the samples for review of a project."""
    return ReviewView(
        lots=tuple(
            LotView(
                name=state.lot.name,
                plan=state.lot.plan.describe(),
                state=state.describe(),
                can_record=state.verdict is not LotVerdict.OPEN and state.lot.verdict is LotVerdict.OPEN,
            )
            for state in lots
        ),
        accuracies=tuple(accuracy.describe() for accuracy in accuracies),
        models=tuple(
            f"{name}: {' and '.join(who or 'no name' for who in pair.annotators)}: "
            f"{'no kappa' if pair.kappa is None else f'kappa {pair.kappa:.2f}'}, "
            f"{pair.agreed_count} of {pair.item_count} agree"
            for name, pairs in agreement.models.items()
            for pair in pairs
        ),
    )
