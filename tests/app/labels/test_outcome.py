"""The row that a conversation becomes for one labeller."""

from dataclasses import replace

from tests.app.labels.test_corrected import CALL, TOOLS, label
from tests.store.examples import SETUP
from workbench.app.labelling import preview_export
from workbench.chat.message import Message, Role, ToolCall
from workbench.records.corpus.material import DamagedSession, ExportMessage, SessionMaterial
from workbench.toolspec.tools_text import render_tools

SAID = (
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
    for place, (role, text, name) in enumerate(SAID)
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


def test_a_correction_makes_a_row_of_what_had_to_stay_out():
    kept_out = preview_export(MATERIAL, [], labeller="")
    assert [(one.code, one.message_id, one.is_defect) for one in kept_out.obstacles] == [
        ("schema-type", "m2", True)
    ]
    assert preview_export(MATERIAL, [right()], labeller="").obstacles == ()


def test_the_correction_of_another_labeller_counts_where_it_decides():
    assert preview_export(MATERIAL, [right(labeller="ben")], labeller="anna").obstacles
    assert not preview_export(MATERIAL, [right(labeller="ben", is_deciding=True)], labeller="anna").obstacles


def test_what_is_stale_gone_or_damaged_is_no_row_and_says_so():
    stale = preview_export(replace(MATERIAL, stale=frozenset({"m4"})), [right()], labeller="")
    assert [(one.code, one.message_id) for one in stale.obstacles] == [("stale-message", "m4")]
    assert [one.code for one in preview_export(None, [], labeller="").obstacles] == ["gone"]
    damaged = DamagedSession(session_id="s", problem="no JSON")
    assert "no JSON" in preview_export(damaged, [], labeller="").obstacles[0].message
