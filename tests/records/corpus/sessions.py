"""Sessions for tests of the export."""

import json

from workbench.chat.message import Message, Role
from workbench.library.datasets.session_export import export_rows
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.label import LabelContent, LabelTarget, NewLabel
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage

TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
SYSTEM = "You call tools."
CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>'
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "model": Role.ASSISTANT, "tool": Role.TOOL}


def said(role, text, **more):
    """Return a message to be stored."""
    message = Message(role=ROLES[role], text=text)
    origin = {"model": MessageOrigin.MODEL, "tool": MessageOrigin.MOCK}.get(role, MessageOrigin.PERSON)
    return NewMessage(**{"message": message, "origin": origin, **more})


def begin(services, *pairs, tag=None, tool=TOOL):
    """Store a session of a system text and (role, text) pairs; return it with its path."""
    setup = RunConfig(contract_name="minimal", contract_text="---\n", tools_text=json.dumps([tool]))
    session = services.sessions.create_session(setup)
    messages = [said(role, text) for role, text in (("system", SYSTEM), *pairs)]
    path = services.sessions.append_all(session.id, messages, parent_id=None)
    if tag:
        services.sessions.tag_session(session.id, [tag])
    return session.id, path


def talk(services, call=CALL, answer="It is sunny.", question="Weather in Rome?", **more):
    """Store a session with a call, its result and an answer."""
    pairs = (("user", question), ("model", call), ("tool", '{"sky": "clear"}'), ("model", answer))
    return begin(services, *pairs, **more)


def label(
    services, session_id, message_id, *, call=None, annotator="", is_deciding=False, project="", **content
):
    """Store a label of a message or of one of its calls."""
    target = LabelTarget(session_id=session_id, message_id=message_id, call_index=call)
    new = NewLabel(
        target=target,
        content=LabelContent(**content),
        annotator=annotator,
        is_deciding=is_deciding,
        project=project,
    )
    return services.labels.save(new)


def rows_of(services, form="sharegpt", **wanted):
    """Return the rows of all sessions, and the obstacles of what was skipped."""
    choice = SessionFilter(**wanted.pop("choice", {}))
    done = list(export_rows(services.corpus, ExportOptions(choice=choice, format=form, **wanted)))
    rows = [result.row for session in done for result in session.rows if result.row is not None]
    return rows, [obstacle for session in done for obstacle in session.all_obstacles]
