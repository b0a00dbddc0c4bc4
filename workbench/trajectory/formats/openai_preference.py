"""Read and write OpenAI's preference rows, which its fine-tuning with DPO takes.

*Source:* https://developers.openai.com/api/docs/guides/direct-preference-optimization
"""

from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.trajectory.formats.openai import CHAT_STEPS, PLACE_KEYS
from workbench.trajectory.formats.preference import DPO, mark_answer, need_rejected
from workbench.trajectory.formats.row_format import RowContent, RowFormat
from workbench.trajectory.formats.shared.chat_rows import Shape, render_tools, spell_messages
from workbench.trajectory.formats.shared.views import View, read_view
from workbench.trajectory.row import RowFinding
from workbench.trajectory.row_pointer import without
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.additions import require_ids
from workbench.trajectory.writing.losses import drop_columns, drop_mask, drop_result_names, drop_thoughts
from workbench.trajectory.writing.row_draft import RowDraft, RowOptions

_ANSWERS: Final = ("preferred_output", "non_preferred_output")
_PLACES: Final = {
    "/prompt": "/input/messages",
    "/tools": "/input/tools",
    "/chosen": "/preferred_output",
    "/rejected": "/non_preferred_output",
}
_PARALLEL: Final = "parallel_tool_calls"
"""The member of the input that is a column."""


def _view(row: JsonObject) -> View:
    given = as_object(row.get("input"))
    lists: dict[str, JsonValue] = {
        "/prompt": given.get("messages"),
        "/chosen": row.get(_ANSWERS[0]),
        "/rejected": row.get(_ANSWERS[1]),
    }
    findings: list[RowFinding] = []
    for key, messages in lists.items():
        if not isinstance(messages, list):
            place = _PLACES[key]
            message = f"`{place[1:].replace('/', '.')}` is not a list of messages"
            findings.append(RowFinding(code="missing-field", message=message, pointer=place))
    rest = dict(without(row, [*_PLACES.values(), f"/input/{_PARALLEL}"]))
    if _PARALLEL in given:
        rest[_PARALLEL] = given[_PARALLEL]
    read = {key[1:]: messages if isinstance(messages, list) else [] for key, messages in lists.items()}
    return View(
        fields={**read, "tools": given.get("tools")}, places=_PLACES, columns=rest, findings=tuple(findings)
    )


def _keep_input(draft: RowDraft) -> None:
    """Keep the members of the input that no reader uses, and drop a column that only has its name."""
    column = draft.trajectory.columns.get("input")
    if not column or not isinstance(column, dict) or column.keys() & {"messages", "tools", _PARALLEL}:
        drop_columns("input")(draft)


def _only_answers(draft: RowDraft) -> None:
    """Refuse answers with messages that are not of the model or a tool, or without one of the model."""
    trajectory = draft.trajectory
    for messages in (trajectory.messages[trajectory.answer_index :], trajectory.rejected):
        roles = {message.role for message in messages}
        if Role.ASSISTANT not in roles or not roles <= {Role.ASSISTANT, Role.TOOL}:
            draft.refuse("an answer must be messages of the model and results of tools")


def _spell(trajectory: Trajectory, _options: RowOptions) -> JsonObject:
    shape = Shape("text", names_results=False)
    start = trajectory.answer_index
    given: dict[str, JsonValue] = {"messages": spell_messages(trajectory.messages[:start], shape)}
    if trajectory.tools.specs:
        given["tools"] = render_tools(trajectory.tools)
    columns = dict(trajectory.columns)
    given |= as_object(columns.pop("input", None))
    if _PARALLEL in columns:
        given[_PARALLEL] = columns.pop(_PARALLEL)
    return {
        "input": given,
        "preferred_output": spell_messages(trajectory.messages[start:], shape),
        "non_preferred_output": spell_messages(trajectory.rejected, shape),
        **columns,
    }


OPENAI_PREFERENCE: Final = RowFormat(
    name="openai-preference",
    title="OpenAI's preference rows: an input, the preferred and the other output",
    fits=lambda row: "preferred_output" in row and "input" in row,
    read=lambda row: read_view(row, "openai-preference", _view(row), DPO.read),
    steps=(
        need_rejected,
        _keep_input,
        drop_columns(*_ANSWERS),
        mark_answer,
        *CHAT_STEPS,
        require_ids,
        drop_result_names,
        drop_thoughts,
        PLACE_KEYS,
        drop_mask,
        _only_answers,
    ),
    spell=_spell,
    content=RowContent.PAIR,
    answers=_ANSWERS,
    needs_text_arguments=True,
)
