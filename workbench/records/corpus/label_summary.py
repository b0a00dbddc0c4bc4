"""Summarise the labels of a message: how good it is, and the corrected text or calls."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean

from workbench.chat.message import ToolCall
from workbench.records.labels.label import Label, Verdict

_GOOD = frozenset({Verdict.RIGHT, Verdict.GOOD})


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSummary:
    """All that was said of one message and its calls."""

    is_good: bool | None = None
    """False where one verdict is bad, True where all are good; None where none was given, or labellers
    contradict each other about the same thing."""
    rating: float | None = None
    """Mean of the ratings; None where there are none."""
    text: str | None = None
    calls: Mapping[int, ToolCall] = field(default_factory=dict[int, ToolCall], hash=False)
    """What its calls should be, by their places from 0."""
    problem: str = ""
    """Why it is not known what should stand there; empty where it is."""

    @property
    def is_corrected(self) -> bool:
        """Whether something else should stand there."""
        return self.text is not None or bool(self.calls)


NO_LABELS = LabelSummary()
"""Nobody said anything."""


def summarize_labels(labels: Iterable[Label], project: str | None = None) -> Mapping[str, LabelSummary]:
    """What the labels say, by the message that they are of; a copy's are its original's.

    Where a label decides, it alone counts at its place.

    Args:
        labels: Of one session.
        project: Only this labelling project's; None takes all.
    """
    by_place: dict[tuple[str, int | None], dict[str, list[Label]]] = defaultdict(lambda: defaultdict(list))
    for label in labels:
        if project in (None, label.project):
            target = label.target
            by_place[target.message_id, target.call_index][label.project].append(label)
    by_message: dict[str, dict[int | None, list[Label]]] = defaultdict(dict)
    for (message_id, call_index), by_project in by_place.items():
        by_message[message_id][call_index] = [
            one for given in by_project.values() for one in _that_count(given)
        ]
    return {message_id: _summary(places) for message_id, places in by_message.items()}


def _that_count(labels: Sequence[Label]) -> Sequence[Label]:
    return [label for label in labels if label.is_deciding] or labels


def _summary(places: Mapping[int | None, Sequence[Label]]) -> LabelSummary:
    texts = [one.content.correction for one in places.get(None, ())]
    text = next((one for one in texts if isinstance(one, str)), None)
    calls: dict[int, ToolCall] = {}
    problem = "its corrections differ" if len({one for one in texts if one is not None}) > 1 else ""
    for place, labels in places.items():
        options = [one.content.correction for one in labels if isinstance(one.content.correction, ToolCall)]
        if place is not None and options:
            calls[place] = options[0]
            if any(not _is_same(one, options[0]) for one in options):
                problem = f"the corrections of its call {place + 1} differ"
    if text is not None and calls:
        problem = "both its text and a call of it are corrected; keep one"
    ratings = [one.content.rating for labels in places.values() for one in labels if one.content.rating]
    return LabelSummary(
        is_good=_goodness(places.values()),
        rating=mean(ratings) if ratings else None,
        text=text,
        calls=calls,
        problem=f"{problem}: a deciding label settles it" if problem else "",
    )


def _is_same(one: ToolCall, other: ToolCall) -> bool:
    return (one.name, one.arguments) == (other.name, other.arguments)


def _goodness(places: Iterable[Sequence[Label]]) -> bool | None:
    said: list[bool] = []
    for labels in places:
        verdicts = {one.content.verdict in _GOOD for one in labels if one.content.verdict}
        if len(verdicts) > 1:
            return None
        said.extend(verdicts)
    return all(said) if said else None
