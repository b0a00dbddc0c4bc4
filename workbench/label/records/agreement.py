"""Measure how well annotators agree: Cohen's kappa for two, Krippendorff's alpha for more or if labels are missing.

Calls, messages, preference pairs and questions are measured apart, because their verdicts exclude each other and all
annotators know which kind an item is. If they were pooled, each call and each message would count as agreement beyond
chance: random verdicts on calls and messages would give an alpha of about 0.7.

*Source:* J. Cohen, "A Coefficient of Agreement for Nominal Scales", 1960; K. Krippendorff, "Computing
Krippendorff's Alpha-Reliability", 2011, https://repository.upenn.edu/asc_papers/43.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import combinations


class ItemKind(StrEnum):
    """What a verdict is about. Each kind has verdicts of its own."""

    CALL = "calls"
    MESSAGE = "messages"
    PAIR = "pairs"
    """The two answers of a preference row."""
    QUESTION = "questions"
    """A question of the project about a call or a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorVerdict:
    """An annotator's verdict on an item, or their answer to a question about it."""

    kind: ItemKind
    item: str
    row: str
    """The row, a session, that the item belongs to."""
    annotator: str
    verdict: str
    question: str = ""
    """Name of the project's question; empty for the verdict."""
    is_model: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Agreement of two annotators."""

    annotators: tuple[str, str]
    """Sorted."""
    item_count: int
    """Items that both labelled."""
    agreed_count: int
    """Items with the same verdict."""
    kappa: float | None
    """1 is full agreement, 0 is what chance would give, negative is less; None if it is not defined."""
    problem: str
    """Why kappa is not defined; empty if it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorAgreement:
    """Agreement of all annotators."""

    kappa: float | None
    """Mean kappa of the pairs that have one; None if no pair has one."""
    problem: str
    """Why kappa is not defined; empty if it is."""
    item_count: int
    """Items that two or more labelled."""
    pairs: tuple[PairAgreement, ...]
    """Every pair of annotators, sorted."""
    alpha: float | None = None
    """Krippendorff's alpha for nominal values: 1 is full agreement, 0 is what chance would give. None if it is not
    defined: no item has two labels, or all labels are the same."""
    is_complete: bool = True
    """Whether each annotator labelled each item that two or more labelled."""

    @property
    def measure(self) -> tuple[str, float | None]:
        """The measure to report and its value: kappa for two annotators without missing labels, otherwise alpha."""
        if len(self.pairs) == 1 and self.is_complete:
            return "kappa", self.kappa
        return "alpha", self.alpha


def agreement_of(judgements: Iterable[AnnotatorVerdict]) -> AnnotatorAgreement:
    """Compute the agreement. If an annotator has several verdicts on an item, the last one counts."""
    by_annotator: dict[str, dict[str, str]] = {}
    for judgement in judgements:
        by_annotator.setdefault(judgement.annotator, {})[judgement.item] = judgement.verdict
    judged = Counter(item for verdicts in by_annotator.values() for item in verdicts)
    pairs = tuple(
        _pair((first, second), by_annotator[first], by_annotator[second])
        for first, second in combinations(sorted(by_annotator), 2)
    )
    kappas = [pair.kappa for pair in pairs if pair.kappa is not None]
    shared = [item for item, annotator_count in judged.items() if annotator_count > 1]
    alpha = krippendorffs_alpha(
        [verdicts[item] for verdicts in by_annotator.values() if item in verdicts] for item in shared
    )
    return AnnotatorAgreement(
        kappa=sum(kappas) / len(kappas) if kappas else None,
        problem="" if kappas else _problem(pairs),
        item_count=len(shared),
        pairs=pairs,
        alpha=None if alpha is None else float(alpha),
        is_complete=all(judged[item] == len(by_annotator) for item in shared),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectAgreement:
    """Agreement of all annotators of a project."""

    kinds: Mapping[ItemKind, AnnotatorAgreement]
    """Agreement about verdicts, for each kind that has any, in the order of `ItemKind`."""
    questions: Mapping[str, AnnotatorAgreement]
    """Agreement about answers, for each question that has any."""
    models: Mapping[str, tuple[PairAgreement, ...]] = field(
        default_factory=dict[str, tuple[PairAgreement, ...]], hash=False
    )
    """Agreement of each model with each person, by kind or question. The figures above are those of people alone."""


def project_agreement(judgements: Iterable[AnnotatorVerdict], *, by_row: bool = False) -> ProjectAgreement:
    """Compute the agreement for each kind of item and for each question.

    Args:
        judgements: The verdicts and answers, the oldest first.
        by_row: Whether an item is a whole row instead of a call, message or pair. An annotator's verdict on a row is
            all their different verdicts of one kind on it. So a row with 20 calls counts once.
    """
    kinds: dict[ItemKind, list[AnnotatorVerdict]] = defaultdict(list)
    questions: dict[str, list[AnnotatorVerdict]] = defaultdict(list)
    everybody: dict[str, list[AnnotatorVerdict]] = defaultdict(list)
    for judgement in judgements:
        is_answer = judgement.kind is ItemKind.QUESTION
        everybody[judgement.question if is_answer else judgement.kind.value].append(judgement)
        if not judgement.is_model:
            (questions[judgement.question] if is_answer else kinds[judgement.kind]).append(judgement)
    choose = _by_row if by_row else _as_given
    pairs = {name: _pairs_with_models(choose(given)) for name, given in everybody.items()}
    return ProjectAgreement(
        kinds={kind: agreement_of(choose(kinds[kind])) for kind in ItemKind if kind in kinds},
        questions={name: agreement_of(choose(answers)) for name, answers in questions.items()},
        models={name: found for name, found in pairs.items() if found},
    )


def _pairs_with_models(judgements: Sequence[AnnotatorVerdict]) -> tuple[PairAgreement, ...]:
    """Return the pairs of a model and a person."""
    models = {judgement.annotator for judgement in judgements if judgement.is_model}
    if not models:
        return ()
    pairs = agreement_of(judgements).pairs
    return tuple(pair for pair in pairs if len(models.intersection(pair.annotators)) == 1)


def _as_given(judgements: Sequence[AnnotatorVerdict]) -> Sequence[AnnotatorVerdict]:
    return judgements


def _by_row(judgements: Sequence[AnnotatorVerdict]) -> Sequence[AnnotatorVerdict]:
    """Return one verdict for each row and annotator."""
    last = {(judgement.item, judgement.annotator): judgement for judgement in judgements}
    of_row: dict[tuple[str, str], list[AnnotatorVerdict]] = defaultdict(list)
    for judgement in last.values():
        of_row[judgement.row, judgement.annotator].append(judgement)
    return [
        replace(given[0], item=row, verdict=", ".join(sorted({judgement.verdict for judgement in given})))
        for (row, _), given in of_row.items()
    ]


def krippendorffs_alpha(items: Iterable[Sequence[str]]) -> Fraction | None:
    """Compute the exact alpha for nominal values.

    Unlike kappa, it takes any number of annotators, and items that some of them did not label. Observed and
    expected disagreement are counted over pairs of values of the same item, and over all pairs of values.

    >>> krippendorffs_alpha([["yes", "yes"], ["yes", "no"], ["no", "no"], ["no", "no", "no"]])
    Fraction(5, 9)

    Args:
        items: The values of each item, in any order. Items with fewer than two values do not count.

    Returns:
        The alpha, or None if no item has two values or all values are the same.
    """
    observed, size = Fraction(0), 0
    totals: Counter[str] = Counter()
    for values in items:
        if len(values) < 2:
            continue
        counts = Counter(values)
        # Ordered pairs of different values. Dividing gives each value the same weight in all items.
        different = len(values) ** 2 - sum(number**2 for number in counts.values())
        observed += Fraction(different, len(values) - 1)
        totals.update(counts)
        size += len(values)
    by_chance = size**2 - sum(number**2 for number in totals.values())
    return None if by_chance == 0 else 1 - (size - 1) * observed / by_chance


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> Fraction | None:
    """Compute the exact kappa of two annotators, or None if chance alone would make them agree on everything.

    >>> cohens_kappa([("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no")])
    Fraction(1, 2)

    Args:
        pairs: The two verdicts on each item; at least one item.
    """
    size = len(pairs)
    agreed = Fraction(sum(first == second for first, second in pairs), size)
    firsts, seconds = (Counter(column) for column in zip(*pairs, strict=True))
    by_chance = Fraction(sum(firsts[word] * seconds[word] for word in firsts), size * size)
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def _pair(annotators: tuple[str, str], first: Mapping[str, str], second: Mapping[str, str]) -> PairAgreement:
    both = [(first[item], second[item]) for item in first if item in second]
    kappa = cohens_kappa(both) if both else None
    problem = ""
    if not both:
        problem = "they labelled no item in common"
    elif kappa is None:
        problem = f"both always chose {both[0][0]!r}, so chance would agree too"
    return PairAgreement(
        annotators=annotators,
        item_count=len(both),
        agreed_count=sum(left == right for left, right in both),
        kappa=None if kappa is None else float(kappa),
        problem=problem,
    )


def _problem(pairs: Sequence[PairAgreement]) -> str:
    if not pairs:
        return "fewer than two annotators"
    reasons = {pair.problem for pair in pairs}
    return reasons.pop() if len(reasons) == 1 else "no two annotators have a kappa"
