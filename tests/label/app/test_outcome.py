"""The preview of a conversation's export for one annotator."""

from dataclasses import replace

from tests.label.app.test_corrected import CALL, TOOLS, label
from tests.store.examples import SETUP
from workbench.chat.message import Message, Role, ToolCall
from workbench.label.app.labelling import preview_export
from workbench.records.corpus.material import DamagedSession, ExportMessage, SessionMaterial
from workbench.toolspec.tools_text import render_tools

CONVERSATION = (
    (Role.SYSTEM, "You call.", None),
    (Role.USER, "Go.", None),
    (Role.ASSISTANT, CALL % '"x"', None),
    (Role.TOOL, '{"b": 1}', "f"),
    (Role.ASSISTANT, "It is 1.", None),
)
MESSAGES = tuple(
    ExportMessage(
        id=f"m{place}",
        parent_id=f"m{place - 1}" if place else None,
        original_id=f"m{place}",
        message=Message(role=role, text=text, name=name),
    )
    for place, (role, text, name) in enumerate(CONVERSATION)
)
MATERIAL = SessionMaterial(
    session_id="s",
    title="t",
    setup=replace(SETUP, tools_text=render_tools(TOOLS)),
    leaf_id="m4",
    messages=MESSAGES,
)


def right(**changed):
    return label(MESSAGES[2], ToolCall(name="f", arguments={"a": 1}), call=0, **changed)


def test_a_correction_makes_a_conversation_exportable():
    rejected = preview_export(MATERIAL, [], annotator="")
    assert [(obstacle.code, obstacle.message_id, obstacle.is_defect) for obstacle in rejected.obstacles] == [
        ("schema-type", "m2", True)
    ]
    assert preview_export(MATERIAL, [right()], annotator="").obstacles == ()


def test_another_annotator_s_correction_counts_only_if_it_decides():
    assert preview_export(MATERIAL, [right(annotator="ben")], annotator="anna").obstacles
    assert not preview_export(
        MATERIAL, [right(annotator="ben", is_deciding=True)], annotator="anna"
    ).obstacles


def test_stale_deleted_and_damaged_sessions_are_not_exportable():
    stale = preview_export(replace(MATERIAL, stale=frozenset({"m4"})), [right()], annotator="")
    assert [(obstacle.code, obstacle.message_id) for obstacle in stale.obstacles] == [("stale-message", "m4")]
    assert [obstacle.code for obstacle in preview_export(None, [], annotator="").obstacles] == ["gone"]
    damaged = DamagedSession(session_id="s", problem="no JSON")
    assert "no JSON" in preview_export(damaged, [], annotator="").obstacles[0].message
