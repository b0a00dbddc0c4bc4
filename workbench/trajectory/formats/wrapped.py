"""Read rows inside other rows: lines of the data set server, and columns that hold messages as JSON.

What is inside may be of any other format, so a function that detects it is given.
"""

from collections.abc import Callable
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object, loads_fast
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.views import View, read_view
from workbench.trajectory.row import RowFinding, TrainingRow

Detect = Callable[[JsonObject], RowFormat | None]
"""Returns the format that a row looks like."""
_TEXTS: Final = ("messages", "conversations", "prompt", "chosen", "rejected", "completion")
"""Columns that may hold messages as JSON."""
_LISTS: Final = ("messages", "conversations")
"""Columns that hold nothing else, so that a text in them is a list whether it can be read or not."""


def datasets_rows(detect: Detect) -> RowFormat:
    """Return the format of the rows of the data set server: `{"row_idx", "row", "truncated_cells"}`.

    *Source:* https://huggingface.co/docs/dataset-viewer/rows
    """

    def read(row: JsonObject) -> TrainingRow:
        inside = as_object(row.get("row"))
        cut = row.get("truncated_cells")
        findings = [
            RowFinding(
                code="missing-field",
                message=f"the server cut `{name}` off; read the row from the data set's files",
                pointer="/truncated_cells",
            )
            for name in (cut if isinstance(cut, list) else [])
        ]
        columns = {key: value for key, value in row.items() if key != "row" and value != []}
        view = View(fields=inside, places={"": "/row"}, columns=columns, findings=tuple(findings))
        return _read_inside(row, "datasets-rows", view, detect)

    return RowFormat(
        name="datasets-rows",
        title="rows as Hugging Face's data set server returns them: row_idx and row",
        fits=lambda row: "row_idx" in row and isinstance(row.get("row"), dict),
        read=read,
    )


def json_texts(detect: Detect) -> RowFormat:
    """Return the format of rows with lists of messages that are texts of JSON."""

    def read(row: JsonObject) -> TrainingRow:
        fields = dict(row)
        findings: list[RowFinding] = []
        for key in _TEXTS:
            value = row.get(key)
            if isinstance(value, str) and value.startswith("["):
                messages = _messages(value)
                if messages or (messages is not None and key in _LISTS):
                    fields[key] = messages
                elif key in _LISTS:
                    message = f"`{key}` is a text that is not JSON; write the list, or its JSON"
                    findings.append(RowFinding(code="missing-field", message=message, pointer=f"/{key}"))
                    fields[key] = []
        view = View(fields=fields, findings=tuple(findings), decoded=fields)
        return _read_inside(row, "json-texts", view, detect)

    return RowFormat(
        name="json-texts",
        title="rows with messages as a text of JSON",
        fits=_has_text,
        read=read,
    )


def _read_inside(row: JsonObject, name: str, view: View, detect: Detect) -> TrainingRow:
    inner = detect(view.fields)
    if inner is not None:
        return read_view(row, name, view, inner.read)
    unknown = RowFinding(code="unknown-format", message="what is inside does not look like any known format")
    findings = view.findings or (unknown,)
    return TrainingRow(format=name, fields=row, entries=(), columns=view.columns, findings=findings)


def _has_text(row: JsonObject) -> bool:
    for key in _TEXTS:
        text = row.get(key)
        if isinstance(text, str) and text.startswith("[") and (key in _LISTS or _messages(text)):
            return True
    return False


def _messages(text: str) -> JsonValue:
    """Return the messages that a text holds, or None if it holds anything else."""
    try:
        messages = loads_fast(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(messages, list) and all(
        any(key in as_object(message) for key in ("role", "from", "type", "lc")) for message in messages
    )
    return messages if is_list else None
