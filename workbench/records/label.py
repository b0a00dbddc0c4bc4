"""Labels: an annotator's verdict on a message or on one of its calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.chat.message import ToolCall
from workbench.toolspec.spec import canonical_json

MIN_RATING: Final = 1
MAX_RATING: Final = 5


class Verdict(StrEnum):
    """Verdict on a call or on a message."""

    RIGHT = "right"
    """The call is correct."""
    WRONG_TOOL = "wrong-tool"
    """Another tool should have been called."""
    BAD_ARGUMENTS = "bad-arguments"
    """The tool is right, but its arguments are wrong."""
    NEEDLESS = "needless"
    """No tool should have been called."""
    SHOULD_ASK = "should-ask"
    """The model should have asked the user first."""
    GOOD = "good"
    """The message is correct."""
    MISSING_CALL = "missing-call"
    """The message should have called a tool."""
    BAD_ANSWER = "bad-answer"
    """The answer is wrong."""
    FIRST_BETTER = "first-better"
    """Of the two answers of a preference pair, the one that was imported as the better one is better."""
    SECOND_BETTER = "second-better"
    """The other answer of the pair is better."""
    TIE = "tie"
    """Both answers of the pair are equally good."""
    BOTH_BAD = "both-bad"
    """Neither answer of the pair is good enough to learn from."""


CALL_VERDICTS: Final = frozenset(
    {Verdict.RIGHT, Verdict.WRONG_TOOL, Verdict.BAD_ARGUMENTS, Verdict.NEEDLESS, Verdict.SHOULD_ASK}
)
PAIR_VERDICTS: Final = frozenset({Verdict.FIRST_BETTER, Verdict.SECOND_BETTER, Verdict.TIE, Verdict.BOTH_BAD})
"""Verdicts on a preference pair. They belong to the first message of its first answer."""
MESSAGE_VERDICTS: Final = frozenset({Verdict.GOOD, Verdict.MISSING_CALL, Verdict.BAD_ANSWER}) | PAIR_VERDICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTarget:
    """The message or call that a label is for."""

    session_id: str
    message_id: str
    call_index: int | None = None
    """Index of the call in the message's reading, from 0; None for the message itself."""

    def __str__(self) -> str:
        return self.message_id if self.call_index is None else f"{self.message_id}#{self.call_index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedCall:
    """A call that a message lacks, with its result, as an annotator added it.

    Its label has an index after those of the message's own calls.
    """

    call: ToolCall
    result: str = ""
    """The text of the result. Empty if it is not written yet."""
    is_before: bool = False
    """True for a message of its own before an answer without calls. False for one more call of the message."""


Correction = str | ToolCall | AddedCall
"""Corrected text of a message, corrected call, or added call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelContent:
    """Content of a label."""

    verdict: Verdict | None = None
    """None if no verdict is chosen."""
    rating: int | None = None
    """From 1 to 5; None if there is no rating."""
    tags: tuple[str, ...] = ()
    """Without duplicates, in the order given."""
    comment: str = ""
    correction: Correction | None = None
    """The original stays stored."""
    answers: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Answers to the project's questions, by the question's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLabel:
    """A label to be stored."""

    target: LabelTarget
    content: LabelContent
    annotator: str = ""
    """Who made it; empty for the only user of a local installation."""
    project: str = ""
    """Name of the labelling project; empty for the default project."""
    is_deciding: bool = False
    """True for the label that decides if annotators disagree; each target has at most one."""
    is_model: bool = False
    """Whether a model made it. It never counts as a label of a person."""
    base_revision: int = 0
    """The revision that was edited; 0 for a new label."""


class RowReference(NamedTuple):
    """The imported row that a label belongs to, as its file has it."""

    id: str
    """The row's own id; empty if it has none."""
    number: int
    """Number of the row in its file, from 1."""
    file: str
    format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A stored label."""

    id: str
    """Random and hard to guess."""
    target: LabelTarget
    content: LabelContent
    annotator: str
    """Who changed it last."""
    project: str
    is_deciding: bool
    """True for the label that decides if annotators disagree."""
    revision: int
    """Increases by 1 with each change, from 1."""
    created_at: datetime
    """When it was first saved, UTC."""
    updated_at: datetime
    """When it was last changed, UTC."""
    corrected_at: datetime | None
    """When its correction was last changed, UTC; None if it has none."""
    is_model: bool = False
    """Whether a model made it. It never counts as a label of a person."""
    row: RowReference | None = field(default=None, compare=False)
    """The imported row of its session. None if the session was not imported, or if the row was not looked up."""


def annotator_name(name: str, *, is_model: bool) -> str:
    """Return how an annotator is shown, so that a model is never taken for a person."""
    return f"{name or 'no name'} (model)" if is_model else name or "no name"


def content_json(content: LabelContent) -> JsonObject:
    """Return a label's content as JSON."""
    return {
        "verdict": content.verdict.value if content.verdict else None,
        "rating": content.rating,
        "tags": list(content.tags),
        "comment": content.comment,
        "correction": content.correction
        if isinstance(content.correction, str | None)
        else call_json(content.correction),
        "answers": dict(content.answers),
    }


def label_json(label: Label) -> JsonObject:
    """Return a label as JSON, as a line of an export."""
    return {
        "id": label.id,
        "project": label.project,
        "session": label.target.session_id,
        "message": label.target.message_id,
        "call": label.target.call_index,
        "labeller": label.annotator,
        "deciding": label.is_deciding,
        **({"kind": "model"} if label.is_model else {}),
        **content_json(label.content),
        "revision": label.revision,
        "created_at": label.created_at.isoformat(),
        "updated_at": label.updated_at.isoformat(),
        "row": None if label.row is None else {**label.row._asdict(), "id": label.row.id or None},
    }


def content_text(content: LabelContent) -> str:
    """Return a label's content as one line of JSON, without empty values."""
    filled = {name: value for name, value in content_json(content).items() if value not in (None, "", [], {})}
    return canonical_json(filled)


def call_json(correction: ToolCall | AddedCall) -> JsonObject:
    """Return a corrected or added call as JSON."""
    if isinstance(correction, ToolCall):
        return {"name": correction.name, "arguments": dict(correction.arguments)}
    place = {"result": correction.result, "before": correction.is_before}
    return {**call_json(correction.call), **place}
