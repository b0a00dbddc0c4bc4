"""What session list, address bar and transcript answer: a session is opened, looked into, exported."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import gradio as gr

from workbench.chat.json_value import JsonValue
from workbench.desk.export import export_sharegpt
from workbench.desk.kept import KeptSession
from workbench.desk.services import Services
from workbench.desk.setup import Setup
from workbench.errors import BadInput, WorkbenchError
from workbench.toolspec.tools_text import check_tools_text, parse_tools
from workbench.ui.present.live import LiveView
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.session import show_session
from workbench.ui.present.sessions import AddressView, DownloadView
from workbench.ui.present.setup import SetupFields, first_choice
from workbench.ui.present.transcript import TranscriptView, examples_for, show_transcript
from workbench.ui.tabs.play.screen import SAME, Screen, Update
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.play.turn_events import TurnEvents
from workbench.ui.visitor import Visitor

FIRST_QUESTION = "What is the flumbuster reading for cairo?"


@dataclass(frozen=True, slots=True)
class SessionEvents:
    """Handlers of the session list, of the address bar and of the transcript."""

    services: Services
    """The edges."""
    setups: SetupEvents
    """Fills the left column."""
    turns: TurnEvents
    """Lists sessions."""

    def on_page(self, draft: str, request: gr.Request) -> tuple[object, ...]:
        """The page as the address bar asks for it."""
        session_id = cast(Mapping[str, str], cast(Any, request).query_params).get("session")
        if not session_id:
            return self._new(draft)
        return self._open(session_id, draft)

    def on_open_session(self, event: gr.EventData) -> tuple[object, ...]:
        """A session that was chosen from the list."""
        return self._open(str(event.id), "")

    def on_new(self) -> tuple[object, ...]:
        """An empty page; the session is made by the first message."""
        return self._new("")

    def on_pick(self, visitor: Visitor, event: gr.EventData) -> Screen:
        """A message that was picked in the transcript."""
        if visitor.session_id is None:
            return Screen()
        session = self.services.sessions.find_session(visitor.session_id)
        if session is None:
            return Screen()
        view = show_session(
            self.services.sessions.path(session.id), session.setup, message_id=event.id, call=event.call
        )
        return Screen(visitor=replace(visitor, message_id=event.id)).with_round(view)

    def on_example(self, event: gr.EventData) -> str:
        """A question that was picked; it stands in the composer."""
        return str(event.text)

    def on_tools(
        self, visitor: Visitor, tools_text: str, disabled: frozenset[str]
    ) -> TranscriptView | Update:
        """Questions that the tools can answer, while nothing was asked."""
        if visitor.session_id is not None or check_tools_text(tools_text):
            return SAME
        names = [name for name in parse_tools(tools_text).names if name not in disabled]
        return show_transcript((), (), selected=None, examples=examples_for(names))

    def on_export_open(self, visitor: Visitor) -> tuple[DownloadView | Update, NoticeView]:
        """The open session as a file."""
        if visitor.session_id is None:
            return SAME, advice("Nothing to export yet: send a message first.")
        return self._export([visitor.session_id])

    def on_export_all(self) -> tuple[DownloadView | Update, NoticeView]:
        """All sessions as a file."""
        return self._export(None)

    def _export(self, session_ids: Sequence[str] | None) -> tuple[DownloadView | Update, NoticeView]:
        try:
            made = export_sharegpt(self.services, session_ids)
        except WorkbenchError as error:
            return SAME, problem(error)
        if not made.row_count:
            return SAME, advice("; ".join(made.left_out) or "Nothing to export yet: send a message first.")
        name = f"session-{session_ids[0]}.jsonl" if session_ids else "sessions.jsonl"
        view = DownloadView(name=name, text=made.text, serial=self.services.calendar.seconds())
        return view, advice("; ".join(made.left_out))

    def _open(self, session_id: str, draft: str) -> tuple[object, ...]:
        try:
            session = self.services.sessions.find_session(session_id)
        except WorkbenchError as error:
            return self._empty(problem(error))
        if session is None:
            unknown = BadInput(
                f"session {session_id!r}", "it is not in this store", "start anew, or choose another"
            )
            return self._empty(problem(unknown))
        return self._opened(session, draft)

    def _opened(self, session: KeptSession, draft: str) -> tuple[object, ...]:
        visitor = Visitor(session_id=session.id)
        view = show_session(self.services.sessions.path(session.id), session.setup)
        drafted = _drafted(session.setup, draft)
        screen = Screen(
            visitor=visitor,
            composer=_draft(draft).get("composer", ""),
            live=LiveView(),
            notice=CLEAR,
            sessions=self.turns.sessions(session.id),
            header=self.setups.header(session.setup.model),
            address=AddressView(session=session.id),
        )
        return (*screen.with_session(view), *self.setups.filled(drafted))

    def _new(self, draft: str) -> tuple[object, ...]:
        try:
            return self._empty(CLEAR, draft)
        except WorkbenchError as error:
            return (*Screen(notice=problem(error)), *(SAME for _ in range(len(SetupFields._fields) + 2)))

    def _empty(self, notice: NoticeView, draft: str = "") -> tuple[object, ...]:
        first = self.services.setup_for()
        setup = _drafted(replace(first, tool_choice=first_choice(first.model)), draft)
        screen = Screen(
            visitor=Visitor(),
            composer=_draft(draft).get("composer", FIRST_QUESTION),
            live=LiveView(),
            notice=notice,
            sessions=self.turns.sessions(None),
            header=self.setups.header(setup.model),
            address=AddressView(session=None),
        )
        return (*screen.with_session(show_session((), setup)), *self.setups.filled(setup))


def _draft(text: str) -> dict[str, str]:
    """What the browser kept of unsent typing; nothing where that cannot be read."""
    try:
        value = cast(JsonValue, json.loads(text or "{}"))
    except ValueError:
        return {}
    if not isinstance(value, Mapping):
        return {}
    return {name: kept for name, kept in value.items() if isinstance(kept, str)}


def _drafted(setup: Setup, text: str) -> Setup:
    """The setup with the texts that were typed and not yet sent."""
    draft = _draft(text)
    return replace(
        setup,
        contract_text=draft.get("contract_text", setup.contract_text),
        tools_text=draft.get("tools_text", setup.tools_text),
    )
