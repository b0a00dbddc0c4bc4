"""Labels as JSON: the lines of an export, and what is shown where two people saved at once."""

from workbench.app.labels.label import Label, LabelContent
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.toolspec.canonical import canonical_json


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
