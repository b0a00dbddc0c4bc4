"""Messages are regenerated after a correction."""

import json

import pytest

from tests.services import services_for
from workbench.app.editing import corrections_of
from workbench.app.regenerate import regenerate_message
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.label.app.labelling import LabellingRole, open_for_labelling
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.sessions import MessageOrigin

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "%s"}}\n</tool_call>'


def regenerate(services, session, place):
    view = open_for_labelling(services, session, LabellingRole())
    events = regenerate_message(
        services,
        view,
        view.path[place].id,
        corrections_of(view.labels, ""),
        is_cancelled=lambda: False,
    )
    return list(events)


def texts(services, session):
    return [stored.message.text for stored in services.sessions.path(session)[1:]]


def test_a_stale_answer_is_regenerated_from_the_corrected_call_after_running_it(tmp_path):
    with services_for(tmp_path, CALL % "cairo", "31 in Cairo.", "27 in London.") as (services, play):
        session = play("And in London?")
        before = services.sessions.path(session)
        call = ToolCall(name="get_flumbuster", arguments={"flumb": "london"})
        target = LabelTarget(session_id=session, message_id=before[2].id, call_index=0)
        content = LabelContent(verdict=Verdict.BAD_ARGUMENTS, correction=call)
        services.labels.save(NewLabel(target=target, content=content))
        assert list(services.labels.stale(session)) == [before[3].id, before[4].id]
        regenerate(services, session, 4)
        path = services.sessions.path(session)
        assert texts(services, session)[1] == CALL % "london"
        assert path[2].origin is MessageOrigin.PERSON
        assert json.loads(path[3].message.text) != json.loads(before[3].message.text)
        assert path[4].message.text == "27 in London."
        assert list(services.labels.stale(session)) == []
        old = services.sessions.path(session, leaf_id=before[4].id)
        assert [stored.message for stored in old] == [stored.message for stored in before]


def test_without_a_correction_only_the_message_itself_is_regenerated(tmp_path):
    with services_for(tmp_path, CALL % "cairo", "31.", "It is 31.") as (services, play):
        session = play("Cairo?")
        before = services.sessions.path(session)
        regenerate(services, session, 4)
        path = services.sessions.path(session)
        assert [stored.id for stored in path[:4]] == [stored.id for stored in before[:4]]
        assert path[4].message.text == "It is 31."


def test_a_user_message_cannot_be_regenerated(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, play):
        session = play("Hi")
        with pytest.raises(BadInput, match="neither a model nor a tool wrote it"):
            regenerate(services, session, 1)
