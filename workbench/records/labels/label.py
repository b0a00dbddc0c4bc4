"""Labels as values: an annotator's verdict on a message or on one of its calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.toolspec.spec import canonical_json

MIN_RATING: Final = 1
MAX_RATING: Final = 5


class Verdict(StrEnum):
    """What a labeller holds of a call or of a message."""

    RIGHT = "right"
    """The call is as it should be."""
    WRONG_TOOL = "wrong-tool"
    """Another tool should have been called."""
    BAD_ARGUMENTS = "bad-arguments"
    """The tool is right, its arguments are not."""
    NEEDLESS = "needless"
    """No tool should have been called."""
    SHOULD_ASK = "should-ask"
    """The user should have been asked first."""
    GOOD = "good"
    """The message is as it should be."""
    MISSING_CALL = "missing-call"
    """The message should have called a tool."""
    BAD_ANSWER = "bad-answer"
    """The message answers wrongly."""


CALL_VERDICTS: Final = frozenset(
    {Verdict.RIGHT, Verdict.WRONG_TOOL, Verdict.BAD_ARGUMENTS, Verdict.NEEDLESS, Verdict.SHOULD_ASK}
)
"""What can be said of a call."""
MESSAGE_VERDICTS: Final = frozenset({Verdict.GOOD, Verdict.MISSING_CALL, Verdict.BAD_ANSWER})
"""What can be said of a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTarget:
    """What a label is of."""

    session_id: str
    message_id: str
    call_index: int | None = None
    """Place of the call in the message's reading, from 0; None for the message itself."""

    def __str__(self) -> str:
        return self.message_id if self.call_index is None else f"{self.message_id}#{self.call_index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelContent:
    """What is said."""

    verdict: Verdict | None = None
    """None while it is not decided."""
    rating: int | None = None
    """From 1 to 5; None for none."""
    tags: tuple[str, ...] = ()
    """Each once, in the order given."""
    comment: str = ""
    correction: str | ToolCall | None = None
    """What should stand there: of a message its text, of a call the call; the original stays beside it."""
    answers: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """To the project's own questions, by their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLabel:
    """A label on its way into the store."""

    target: LabelTarget
    content: LabelContent
    labeller: str = ""
    """Who says it; empty for the one person of an own machine."""
    project: str = ""
    """Name of the labelling project; empty for the one that is always there."""
    is_deciding: bool = False
    """True for the label that settles what labellers do not agree on; there is one a target."""
    base_revision: int = 0
    """The revision that was edited; 0 where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label of the store."""

    id: str
    """Unguessable."""
    target: LabelTarget
    content: LabelContent
    labeller: str
    """Who said it last."""
    project: str
    is_deciding: bool
    """True for the label that settles the matter."""
    revision: int
    """Goes up by one with each change, from 1."""
    created_at: datetime
    """When it was first saved, UTC."""
    updated_at: datetime
    """When it was last changed, UTC."""
    corrected_at: datetime | None
    """When its correction was last changed, UTC; None where it has none."""


def content_json(content: LabelContent) -> JsonObject:
    """What a label says."""
    return {
        "verdict": content.verdict.value if content.verdict else None,
        "rating": content.rating,
        "tags": list(content.tags),
        "comment": content.comment,
        "correction": _correction_json(content.correction),
        "answers": dict(content.answers),
    }


def label_json(label: Label) -> JsonObject:
    """The whole label, one line of an export."""
    return {
        "id": label.id,
        "project": label.project,
        "session": label.target.session_id,
        "message": label.target.message_id,
        "call": label.target.call_index,
        "labeller": label.labeller,
        "deciding": label.is_deciding,
        **content_json(label.content),
        "revision": label.revision,
        "created_at": label.created_at.isoformat(),
        "updated_at": label.updated_at.isoformat(),
    }


def content_text(content: LabelContent) -> str:
    """What a label says, as one line: JSON without what it leaves open."""
    said = {name: value for name, value in content_json(content).items() if value not in (None, "", [], {})}
    return canonical_json(said)


def _correction_json(correction: str | ToolCall | None) -> JsonValue:
    if isinstance(correction, ToolCall):
        return {"name": correction.name, "arguments": correction.arguments}
    return correction
