"""Messages with an annotator's corrections applied."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from workbench.app.editing import corrected, corrections_of
from workbench.chat.message import Message, Role, ToolCall
from workbench.records.label import Label, LabelContent, LabelTarget
from workbench.records.sessions import MessageOrigin, StoredMessage
from workbench.toolspec.tools_text import parse_tools

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOOLS = parse_tools(
    '[{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, '
    '"required": ["a"]}}]'
)
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": %s}}\n</tool_call>'


def stored(role, text, name=None):
    return StoredMessage(
        id=f"m-{role}-{abs(hash(text))}",
        parent_id=None,
        message=Message(role=role, text=text, name=name),
        origin=MessageOrigin.MODEL,
        created_at=NOW,
        generation=None,
        tool_run=None,
    )


def label(message, correction, *, call=None, annotator="", is_deciding=False):
    return Label(
        id="l",
        target=LabelTarget(session_id="s", message_id=message.id, call_index=call),
        content=LabelContent(correction=correction),
        annotator=annotator,
        project="",
        is_deciding=is_deciding,
        revision=1,
        created_at=NOW,
        updated_at=NOW,
        corrected_at=NOW,
    )


def now(message, *labels, annotator=""):
    return corrected(message, corrections_of(labels, annotator), TOOLS).text


def test_a_message_without_corrections_is_unchanged():
    message = stored(Role.ASSISTANT, "Hello.")
    assert corrected(message, corrections_of([], ""), TOOLS) is message.message
    others = label(message, "Mine.", annotator="ben")
    assert now(message, others, annotator="anna") == "Hello."


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (0, f"Look: {CALL % 7}\n{CALL % 2} so."),
        (1, f"Look: {CALL % 1}\n{CALL % 7} so."),
    ],
)
def test_a_corrected_call_replaces_the_old_one_and_nothing_else_changes(index, text):
    message = stored(Role.ASSISTANT, f"Look: {CALL % 1}\n{CALL % 2} so.")
    assert now(message, label(message, ToolCall(name="f", arguments={"a": 7}), call=index)) == text


def test_a_deciding_correction_and_a_corrected_text_take_precedence():
    message = stored(Role.ASSISTANT, CALL % 1)
    own = label(message, ToolCall(name="f", arguments={"a": 2}), call=0)
    deciding = label(message, ToolCall(name="f", arguments={"a": 3}), call=0, is_deciding=True)
    assert now(message, deciding, own) == CALL % 3
    assert now(message, own, label(message, "No call.")) == "No call."


def test_a_copy_on_another_branch_has_the_corrections_of_its_original():
    message = stored(Role.ASSISTANT, "Hello.")
    copy = replace(message, id="copy", copy_of=message.id)
    assert now(copy, label(message, "Good day.")) == "Good day."
