"""A conversation to label, new labels for it, and a clock."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.store.examples import SETUP, completion, tool_result, user
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.store.store import OwnedStore

CALL = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'


class Clock:
    """A clock that advances by a second with each call."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


@dataclass
class Talk:
    """A session with a question, a call, its result and an answer."""

    id: str
    messages: list[str]

    def target(self, place: int, call_index: int | None = None) -> LabelTarget:
        return LabelTarget(session_id=self.id, message_id=self.messages[place], call_index=call_index)


def start_talk(store: OwnedStore, *, question: str = "hi", call: str = CALL, **setup: object) -> Talk:
    session = store.sessions.create_session(replace(SETUP, **setup))
    new = (user(question), completion(call), tool_result("12:00"), completion("It is noon."))
    return Talk(
        session.id, [stored.id for stored in store.sessions.append_all(session.id, new, parent_id=None)]
    )


def new(target: LabelTarget, verdict: Verdict | None = None, **changes: Any) -> NewLabel:
    """Return a new label. Each change applies to the label or its content, depending on its name."""
    own = {name: changes.pop(name) for name in list(changes) if name in NewLabel.__dataclass_fields__}
    return NewLabel(target=target, content=LabelContent(verdict=verdict, **changes), **own)
