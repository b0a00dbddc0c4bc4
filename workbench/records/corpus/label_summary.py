"""Summarize the labels of a message: how good it is, and its corrected text or calls."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean

from workbench.chat.message import ToolCall
from workbench.records.label import PAIR_VERDICTS, AddedCall, Label, Verdict, call_json

_GOOD = frozenset({Verdict.RIGHT, Verdict.GOOD})


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSummary:
    """Summary of the labels of a message and its calls."""

    is_good: bool | None = None
    """False if a verdict is bad, True if all are good; None if there is no verdict, or annotators disagree about
    the same target."""
    rating: float | None = None
    """Mean of the ratings; None if there are none."""
    text: str | None = None
    """Corrected text; None if the text was not corrected."""
    calls: Mapping[int, ToolCall] = field(default_factory=dict[int, ToolCall], hash=False)
    """Corrected calls by their index, from 0."""
    added: tuple[AddedCall, ...] = ()
    """Calls that the message lacks, in order."""
    pair: Verdict | None = None
    """Verdict on the preference pair that begins with this message; None if there is none, or annotators disagree."""
    problem: str = ""
    """Why the correction is not clear; empty if it is."""

    @property
    def is_corrected(self) -> bool:
        """Whether the text or a call was corrected, or a call was added."""
        return self.text is not None or bool(self.calls) or bool(self.added)

    @property
    def is_changed(self) -> bool:
        """Whether there is a correction, even one that is not clear."""
        return self.is_corrected or bool(self.problem)


NO_LABELS = LabelSummary()
"""Summary of a message without labels."""


def summarize_labels(labels: Iterable[Label], project: str | None = None) -> Mapping[str, LabelSummary]:
    """Summarize labels of people by message. If a target has a deciding label, only that one counts.

    Args:
        labels: Labels of one session. The labels of a copied message belong to its original.
        project: Use only this labelling project; None for all.
    """
    by_place: dict[tuple[str, int | None], dict[str, list[Label]]] = defaultdict(lambda: defaultdict(list))
    for label in labels:
        if project in (None, label.project) and not label.is_model:
            target = label.target
            by_place[target.message_id, target.call_index][label.project].append(label)
    by_message: dict[str, dict[int | None, list[Label]]] = defaultdict(dict)
    for (message_id, call_index), by_project in by_place.items():
        by_message[message_id][call_index] = [
            label for project_labels in by_project.values() for label in _that_decide(project_labels)
        ]
    return {message_id: _summary(places) for message_id, places in by_message.items()}


def _that_decide(labels: Sequence[Label]) -> Sequence[Label]:
    return [label for label in labels if label.is_deciding] or labels


def _summary(places: Mapping[int | None, Sequence[Label]]) -> LabelSummary:
    texts = [label.content.correction for label in places.get(None, ())]
    text = next((label for label in texts if isinstance(label, str)), None)
    calls: dict[int, ToolCall | AddedCall] = {}
    problem = (
        "its corrections are different" if len({label for label in texts if label is not None}) > 1 else ""
    )
    for place, labels in places.items():
        options = [
            label.content.correction
            for label in labels
            if isinstance(label.content.correction, ToolCall | AddedCall)
        ]
        if place is not None and options:
            calls[place] = options[0]
            if any(not _is_same(label, options[0]) for label in options):
                problem = f"the corrections of its call {place + 1} are different"
    replaced = {place: call for place, call in calls.items() if isinstance(call, ToolCall)}
    if text is not None and replaced:
        problem = "both its text and one of its calls are corrected"
    ratings = [label.content.rating for labels in places.values() for label in labels if label.content.rating]
    return LabelSummary(
        is_good=_goodness(places.values()),
        rating=mean(ratings) if ratings else None,
        text=text,
        calls=replaced,
        added=tuple(call for _, call in sorted(calls.items()) if isinstance(call, AddedCall)),
        pair=_pair_verdict(places.get(None, ())),
        problem=f"{problem}; add a deciding label" if problem else "",
    )


def _is_same(left: ToolCall | AddedCall, right: ToolCall | AddedCall) -> bool:
    return call_json(left) == call_json(right)


def _pair_verdict(labels: Sequence[Label]) -> Verdict | None:
    verdicts = {label.content.verdict for label in labels if label.content.verdict in PAIR_VERDICTS}
    return verdicts.pop() if len(verdicts) == 1 else None


def _goodness(places: Iterable[Sequence[Label]]) -> bool | None:
    all_verdicts: list[bool] = []
    for labels in places:
        given = [label.content.verdict for label in labels if label.content.verdict]
        verdicts = {verdict in _GOOD for verdict in given if verdict not in PAIR_VERDICTS}
        if len(verdicts) > 1:
            return None
        all_verdicts.extend(verdicts)
    return all(all_verdicts) if all_verdicts else None
