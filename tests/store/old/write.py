"""Write a small database of the newest revision, compressed, into this folder.

Run `python -m tests.store.old.write` before a release with a new revision.
"""

import gzip
import itertools
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.exchanges import Agent, answered, said
from tests.store.examples import SETUP, completion, tool_result, user
from tests.store.runs.comparisons import give_comparison
from tests.store.runs.examples import give_run
from workbench.chat.message import Message, Role, ToolCall
from workbench.label.records.action import ActionId, FieldChange, LabelAction
from workbench.records.corpus.material import NewImport
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.label_words import ActionKind, QueueState
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.store.rows import new_id
from workbench.store.store import OwnedStore, Store

FOLDER = Path(__file__).parent
TOOLS = '[{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}]'


def write_newest(folder: Path = FOLDER) -> Path:
    """Write the database and return its file, which is named by the revision."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "workbench.sqlite3"
        moments = (datetime(2026, 11, 22, tzinfo=UTC) + timedelta(seconds=s) for s in itertools.count())
        with closing(Store(f"sqlite:///{file}", now=lambda: next(moments))) as store:
            fill(store.of(LOCAL_OWNER))
            fill(store.of(Owner(key="someone")))
        with closing(sqlite3.connect(file)) as connection:
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            connection.execute("PRAGMA journal_mode = DELETE").close()
            connection.execute("VACUUM")
        target = folder / f"{revision}.sqlite3.gz"
        target.write_bytes(gzip.compress(file.read_bytes(), mtime=0))
    return target


def fill(owned: OwnedStore) -> None:
    """Store something of every kind."""
    setup = replace(SETUP, tools_text=TOOLS, disabled_tools=frozenset())
    session = owned.sessions.create_session(setup)
    system = NewMessage(
        message=Message(role=Role.SYSTEM, text="You call tools.\r\n"), origin=MessageOrigin.PERSON
    )
    call = completion('<tool_call>\n{"name": "get_weather", "arguments": {"city": "cairo",}}\n</tool_call>')
    patch = ({"op": "add", "path": "/weather", "value": {"asked": ["Cairo"]}},)
    changing = replace(tool_result("31 degrees"), world_patch=patch)
    owned.presets.save_preset("Cairo 🦉", setup)
    path = owned.sessions.append_all(
        session.id, (system, user("  Weather in Cairo? 🦉"), call, changing), parent_id=None
    )
    lost = completion("<tool_call>\nnonsense\n</tool_call>", prompt_text="another prompt")
    answer = owned.sessions.append(session.id, lost, parent_id=path[1].id)
    content = LabelContent(verdict=Verdict.MISSING_CALL, tags=("odd",), correction="Let me look.")
    target = LabelTarget(session_id=session.id, message_id=answer.id)
    owned.labels.save(NewLabel(target=target, content=content))
    owned.labels.move(session.id, QueueState.DONE)
    change = FieldChange(message_id=answer.id, field="rating", value=2)
    action = LabelAction(
        id=ActionId("page", 1), session_id=session.id, kind=ActionKind.LABEL, changes=(change,)
    )
    owned.labels.apply(action)
    owned.sessions.tag_session(session.id, ("blue", "bird"))
    call_value = ToolCall(name="now", arguments={"z": 1, "big": 2**70, "a": [None, 1.5]})
    message = Message(role=Role.ASSISTANT, text="", calls=(call_value,), thought="hm")
    other = owned.sessions.create_session(SETUP)
    owned.sessions.append(other.id, NewMessage(message=message, origin=MessageOrigin.IMPORT), parent_id=None)
    give_run(owned, other.id)
    give_comparison(owned, title="Which is better?")
    owned.sessions.delete_session(other.id)
    messages = (Message(role=Role.USER, text="Hi?"), Message(role=Role.ASSISTANT, text="Hello."))
    row = {"messages": [{"role": message.role.value, "content": message.text} for message in messages]}
    imported = NewImport(
        setup=setup,
        messages=messages,
        format="openai",
        fields=row,
        file="rows.jsonl",
        number=1,
        tags=("blue",),
    )
    owned.corpus.add_import(imported, digest="d" * 64)
    request = Agent(messages=[], tag="agent", name="ticket 17").request(said("Hello?"))
    owned.recordings.record(new_id(), request, answered("Hi there."))


if __name__ == "__main__":
    print(write_newest())
