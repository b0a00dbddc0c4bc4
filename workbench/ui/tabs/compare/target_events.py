"""Fill the form above the columns, and choose the question or turns to answer."""

from collections.abc import Sequence
from dataclasses import dataclass

import gradio as gr

from workbench.app.comparisons.opened import find_comparison
from workbench.app.comparisons.planning import turns_of
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.comparisons import MAX_COLUMNS, Column
from workbench.records.owner import Permission
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.incoming.fields import flag_of, id_of
from workbench.ui.owners import browser_key_of, services_of
from workbench.ui.permissions import needs
from workbench.ui.present.compare.form import (
    COLUMN_SIZE,
    NO_TARGET,
    THIS_TURN,
    CompareForm,
    CompareTargetView,
    column_fields,
    draft_form,
    first_form,
    form_of,
    parse_turns,
    read_link,
    show_target,
    target_of,
    with_setup,
)
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.setup import parse_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.compare.events import previous_choices, shown
from workbench.ui.tabs.compare.parts import CompareScreen
from workbench.ui.tabs.compare.watching import read_comparison
from workbench.ui.tabs.tab_work import TabWork

COLUMN_VALUES = MAX_COLUMNS * COLUMN_SIZE
"""The number of column values that follow the screen's."""


@dataclass(frozen=True, slots=True)
class TargetEvents:
    """Handlers of the form above the columns, and of links to comparisons."""

    services: Services
    work: TabWork
    """Running comparisons."""

    @needs(Permission.WORK)
    def on_page(
        self, draft: str, secret: str, toolsets: list[str] | None, request: gr.Request, *setup: object
    ) -> tuple[object, ...]:
        """Restore the form stored in the browser. Without one, the columns get the setup of Play."""
        # The Play tab may not have set the state of the tab yet.
        services = services_of(self.services, TabState(browser_key=browser_key_of(secret)), request)
        if draft:
            return _filled(services, draft_form(draft, _first(services)), CompareScreen())
        return _with_play(services, toolsets, setup, CompareScreen())

    @needs(Permission.WORK)
    def on_open_comparison(
        self, state: TabState, request: gr.Request, event: gr.EventData
    ) -> tuple[object, ...]:
        """Show the comparison that an address names. A form without a draft gets what would repeat it."""
        services = services_of(self.services, state, request)
        try:
            read = read_comparison(services, find_comparison(services, id_of(event)))
        except WorkbenchError as error:
            return _unchanged(CompareScreen(notice=problem(error)))
        screen = shown(services, read)._replace(
            previous={**previous_choices(services), "value": read.stored.id}
        )
        if flag_of(event, "has_draft"):
            return _unchanged(screen)
        form = form_of(read.stored.comparison, _first(services), read.questions[-1])
        return _filled(services, form, screen)

    @needs(Permission.WORK)
    def on_link(self, state: TabState, link: str, request: gr.Request) -> tuple[object, ...]:
        """Choose the turn of a pasted link."""
        services = services_of(self.services, state, request)
        try:
            return (*_chosen(services, read_link(link)), "")
        except WorkbenchError as error:
            return (*CompareScreen(notice=problem(error)), link)

    @needs(Permission.WORK)
    def on_enter(
        self, state: TabState, question: str, target: str, request: gr.Request
    ) -> tuple[object, ...]:
        """When the tab is opened, use the message selected in Play if the form has no question or turn."""
        is_asking = bool(question.strip() or target)
        if is_asking or state.message_id is None or state.is_read_only:
            return _unchanged(CompareScreen())
        return self._taken(state, state.message_id, request)

    @needs(Permission.WORK)
    def on_take(
        self, state: TabState, toolsets: list[str] | None, request: gr.Request, *setup: object
    ) -> tuple[object, ...]:
        """Choose the turn that is open in Play; its setup becomes the first column.

        Without a session, all columns get the setup of Play.
        """
        if state.session_id is None or state.is_read_only:
            nothing_open = (
                "No session of yours is open in Play. The columns have its tools, model and settings."
            )
            screen = CompareScreen(notice=advice(nothing_open))
            return _with_play(services_of(self.services, state, request), toolsets, setup, screen)
        return self._taken(state, state.message_id or state.leaf_id, request)

    @needs(Permission.WORK)
    def on_turn(self, state: TabState, request: gr.Request, event: gr.EventData) -> tuple[object, ...]:
        """Compare a turn of the transcript."""
        if state.session_id is None or state.is_read_only:
            read_only = advice("This session is read-only. Copy it first.")
            return _unchanged(CompareScreen(tabs=gr.update(selected="compare"), notice=read_only))
        return self._taken(state, id_of(event), request)

    @needs(Permission.WORK)
    def on_scope(self, state: TabState, target: str, scope: str, request: gr.Request) -> CompareTargetView:
        """Choose between one turn of the session and all of them."""
        services = services_of(self.services, state, request)
        try:
            return _line(services, target, scope)
        except WorkbenchError:
            return NO_TARGET

    @needs(Permission.WORK)
    def on_drop(self) -> CompareScreen:
        """Drop the turn, so that the user can write a question."""
        screen = CompareScreen(target="", scope=gr.update(value=THIS_TURN), notice=CLEAR)
        return screen.with_line(NO_TARGET)

    def _taken(self, state: TabState, message_id: str | None, request: gr.Request) -> tuple[object, ...]:
        services = services_of(self.services, state, request)
        try:
            screen = _chosen(services, target_of(state.session_id or "", message_id))
            session = services.sessions.find_session(state.session_id or "")
        except WorkbenchError as error:
            return _unchanged(CompareScreen(notice=problem(error)))
        shown = _unchanged(screen._replace(tabs=gr.update(selected="compare")))
        if session is None:
            return shown
        own = column_fields(Column(contract="", setup=session.setup)).values
        start = len(CompareScreen._fields)
        return (*shown[:start], *own, *shown[start + len(own) :])


def _first(services: Services) -> CompareForm:
    model = services.models.status(services.settings.model)
    return first_form(services.settings, services.contract_names(), model)


def _filled(services: Services, form: CompareForm, screen: CompareScreen) -> tuple[object, ...]:
    """Return an update of the whole tab with the form."""
    line, form, notice = _line_or_question(services, form)
    screen = screen if notice == CLEAR else screen._replace(notice=notice)
    return (*screen.with_shared(form).with_line(line), *_column_values(form))


def _with_play(
    services: Services, toolsets: Sequence[str] | None, setup: Sequence[object], screen: CompareScreen
) -> tuple[object, ...]:
    """Return an update that fills the columns with the setup of Play, unless Play is not filled yet."""
    if not all(setup[:1]):
        return _unchanged(screen)
    try:
        shown = parse_setup(setup)
    except WorkbenchError as error:
        return _unchanged(screen._replace(notice=problem(error)))
    form = with_setup(_first(services), shown, toolsets or ())
    return (*screen._replace(tools=gr.update(value=list(form.tools))), *_column_values(form))


def _chosen(services: Services, target: str) -> CompareScreen:
    """Choose a turn instead of a question, with the scope of this turn only.

    Raises:
        BadInput: There is no such session, or it has no user message there.
        StoreError: There is no such message.
    """
    line = _line(services, target, THIS_TURN)
    screen = CompareScreen(target=target, scope=gr.update(value=THIS_TURN), notice=CLEAR)
    return screen.with_line(line)


def _line(services: Services, target: str, scope: str) -> CompareTargetView:
    turns = parse_turns(target, scope)
    if turns is None:
        return NO_TARGET
    session = services.sessions.find_session(turns.session_id)
    if session is None:
        raise BadInput("this comparison", "there is no such session", "choose another session")
    return show_target(session, turns, turns_of(services, turns))


def _line_or_question(
    services: Services, form: CompareForm
) -> tuple[CompareTargetView, CompareForm, NoticeView]:
    """Return the line of the form's turn.

    If the turn no longer exists, return the form without it and a notice of the error.
    """
    try:
        return _line(services, form.target, form.scope), form, CLEAR
    except WorkbenchError as error:
        return NO_TARGET, form.without_target(), problem(error)


def _column_values(form: CompareForm) -> list[object]:
    return [value for column in form.columns for value in column.values]


def _unchanged(screen: CompareScreen) -> tuple[object, ...]:
    """Return an update of the whole tab that leaves the columns unchanged."""
    return (*screen, *(SAME for _ in range(COLUMN_VALUES)))
