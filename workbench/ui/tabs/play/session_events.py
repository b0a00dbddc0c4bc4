"""Open sessions, select messages, and switch branches."""

from dataclasses import dataclass, replace
from typing import Final

import gradio as gr

from workbench.app.branches import BranchTree, branches_of
from workbench.app.opened_session import OpenedSession
from workbench.app.person import PersonAnswered
from workbench.app.running_turn import RunningTurn
from workbench.app.services import Services
from workbench.chat.message import Role
from workbench.errors import BadInput, WorkbenchError
from workbench.records.corpus.material import SessionMaterial
from workbench.records.owner import Permission
from workbench.records.run_config import RunConfig
from workbench.records.session_tree import newest_leaf
from workbench.ui.choices import toolsets_of
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, number_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.branches import BranchesView, agreement_words, show_branches
from workbench.ui.present.documents import (
    PLAY_EDITORS,
    EditorsView,
    kept_changes,
    message_change,
    preset_changes,
    session_changes,
)
from workbench.ui.present.live import LiveView
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.place import Place
from workbench.ui.present.session import show_session, tools_of
from workbench.ui.present.sessions import AddressView, SessionBarView
from workbench.ui.present.setup import parse_setup
from workbench.ui.shown_errors import shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.preset_events import default_setup
from workbench.ui.tabs.play.screen import Screen, list_sessions, reopened
from workbench.ui.tabs.play.setup_events import SetupEvents, saved_contract
from workbench.ui.tabs.play.starting import follow

LOADING: Final = 1
"""The number of the router's first request, which loading the page answers."""


@dataclass(frozen=True, slots=True)
class SessionEvents:
    """Handlers of the address bar and the transcript."""

    services: Services
    setups: SetupEvents
    """Fills the left column, the run configuration."""

    @needs(Permission.WORK)
    def on_open_session(
        self, state: TabState, request: gr.Request, event: gr.EventData, *fields: object
    ) -> Screen:
        """Open what an address names: a session, a message or a shared link. Without one, show an empty page.

        The empty page keeps the setup in use. The first message creates its session.
        """
        services = services_of(self.services, state, request)
        place = Place(values={name: id_of(event, name) for name in ("session", "shared", "message")})
        state, number = state.at_home(), number_of(event, "request")
        if place.get("session") or place.get("shared"):
            return self.open_place(services, state, place, number)
        try:
            setup = parse_setup(fields)
        except BadInput:
            # A field is invalid, which sending a message reports. The setup is only used for examples here.
            setup = None
        return self.start(services, state, setup=setup, keeps_setup=True, request=number)

    @needs(Permission.WORK)
    @shows_error(Screen)
    def on_branch(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Switch to the newest branch that contains the chosen message."""
        services = services_of(self.services, state, request)
        now = reopened(services, state)
        if now is None:
            return Screen()
        leaf_id = newest_leaf(now.tree, id_of(event))
        chosen = replace(state, leaf_id=leaf_id, message_id=None, call_index=None)
        opened = reopened(services, chosen)
        if opened is None:
            return Screen()
        if not state.is_read_only:
            services.sessions.open_leaf(opened.session.id, leaf_id)
        address = AddressView(session=chosen.session_id, shared=chosen.share_key)
        return Screen(notice=CLEAR, address=address).with_opened(opened, chosen)

    def open(self, services: Services, state: TabState, session_id: str, *, request: int = 0) -> Screen:
        """Open a session by id."""
        state = replace(state, session_id=session_id)
        return self._open(services, state, _NO_SESSION, request)

    def open_place(self, services: Services, state: TabState, place: Place, request: int) -> Screen:
        """Open the session or shared link that an address names."""
        if key := place.get("shared"):
            unshared = BadInput(
                "this link",
                "it does not show a session, or no longer does",
                "ask for a new link, or start a new session",
            )
            return self._open(services, replace(state, share_key=key), unshared, request)
        session_id = place.get("session")
        state = _at_message(services, state, session_id, place.get("message") or None)
        return self.open(services, state, session_id, request=request)

    def start(
        self,
        services: Services,
        state: TabState,
        notice: NoticeView = CLEAR,
        *,
        message: str = "",
        setup: RunConfig | None = None,
        keeps_setup: bool = False,
        request: int = 0,
        is_replaced: bool = False,
        is_preset: bool = False,
    ) -> Screen:
        """Show an empty page.

        Args:
            notice: What to say there.
            message: The text that the composer begins with.
            setup: The setup to start with. None takes the default.
            keeps_setup: True leaves the fields of the setup as they are.
            request: The request of the browser's router that this answers.
            is_replaced: True if Back should not return to what was shown before.
            is_preset: Whether the texts of the setup replace drafts.
        """
        address = AddressView(session=None, request=request, is_replaced=is_replaced)
        try:
            own = setup or default_setup(services)
            if keeps_setup:
                kept = kept_changes(state, message)
                editors = PLAY_EDITORS.changed(services.calendar.seconds(), *kept)
            else:
                editors = _session_view(services, state, own, message, is_preset=is_preset)
            screen = self._empty(services, state, notice, own)._replace(editors=editors, address=address)
            if keeps_setup:
                return screen
            return screen._replace(
                header=self.setups.header(services, own.model), filled=self.setups.filled(services, own)
            )
        except WorkbenchError as error:
            return Screen(state=state, notice=problem(error), address=address)

    def _open(self, services: Services, state: TabState, missing: BadInput, request: int) -> Screen:
        try:
            opened = reopened(services, state)
        except WorkbenchError as error:
            return self.start(services, state.at_home(), problem(error), request=request)
        if opened is None:
            created = self._being_created(services, state, request)
            return created or self.start(services, state.at_home(), problem(missing), request=request)
        return self._opened(services, state, opened, request)

    def _opened(self, services: Services, state: TabState, opened: OpenedSession, request: int) -> Screen:
        session, is_read_only = opened.session, not opened.session.is_own
        state = replace(state, is_read_only=is_read_only)
        listed = replace(state, session_id=None if state.share_key else session.id)
        screen = Screen(
            editors=_session_view(services, state, session.setup, ""),
            composer=gr.update(interactive=not is_read_only),
            send=gr.update(interactive=not is_read_only),
            live=LiveView(),
            stop=gr.update(interactive=False),
            notice=CLEAR if is_read_only else _unanswered(opened),
            sessions=list_sessions(services, listed),
            header=self.setups.header(services, session.setup.model),
            address=AddressView(
                session=listed.session_id,
                shared=state.share_key,
                message=state.message_id,
                request=request,
            ),
            message_pane=None,
            filled=self.setups.filled(services, session.setup),
        )
        turn = None if is_read_only else services.turns.find(services.owner.key, session.id)
        screen = _with_turn(services, screen, turn)
        return screen.with_opened(opened, state)

    def _empty(self, services: Services, state: TabState, notice: NoticeView, setup: RunConfig) -> Screen:
        screen = Screen(
            state=state,
            composer=gr.update(interactive=True),
            message_pane=None,
            branches=BranchesView(),
            send=gr.update(interactive=True),
            stop=gr.update(interactive=False),
            bar=SessionBarView(),
            live=LiveView(),
            notice=notice,
            sessions=list_sessions(services, state),
        )
        return screen.with_waiting(PersonAnswered()).with_session(
            show_session((), setup, toolsets=toolsets_of(services))
        )

    def _being_created(self, services: Services, state: TabState, request: int) -> Screen | None:
        """Show an empty page for a session whose first turn waits for its model, or could not begin.

        None if there is no such turn.
        """
        turn = services.turns.find(services.owner.key, state.session_id or "")
        if turn is None or turn.has_stored or state.share_key is not None:
            return None
        shown = state.at_home() if turn.over.is_set() else state
        screen = self.start(services, shown, message="", setup=turn.request.setup, request=request)
        screen = _with_turn(services, screen, turn)
        if turn.over.is_set():
            return screen
        return screen._replace(address=AddressView(session=turn.subject, request=request))


def _unanswered(opened: OpenedSession) -> NoticeView:
    """Return a notice if the last message has no answer, for example because the server ended before it came."""
    if not opened.path or opened.path[-1].message.role is not Role.USER:
        return CLEAR
    return advice('The last message has no answer. "Answer again" in its menu asks the model.')


def _with_turn(services: Services, screen: Screen, turn: RunningTurn | None) -> Screen:
    """Return the screen that watches the session's running turn, or that gives back the text of one that failed."""
    screen = screen.with_waiting(PersonAnswered())
    if turn is None:
        return screen
    if not turn.over.is_set():
        return follow(turn, screen._replace(notice=CLEAR))
    unsent = turn.take_unsent()
    if not unsent:
        return screen
    error = turn.error
    notice = (
        problem(error) if isinstance(error, WorkbenchError) else advice("Stopped before the model started.")
    )
    written_in = TabState(session_id=turn.request.session_id)
    changes = screen.editors.changes if isinstance(screen.editors, EditorsView) else ()
    back = (*changes, message_change(written_in, "unsent", unsent))
    return screen._replace(editors=PLAY_EDITORS.changed(services.calendar.seconds(), *back), notice=notice)


def _at_message(services: Services, state: TabState, session_id: str, message_id: str | None) -> TabState:
    """Return the state that shows that message, on any branch. An unknown message id is ignored."""
    try:
        tree = services.sessions.tree(session_id) if message_id else ()
        if message_id is None or all(node.id != message_id for node in tree):
            return state
        is_open = any(kept.id == message_id for kept in services.sessions.path(session_id))
    except WorkbenchError:
        return state
    leaf_id = None if is_open else newest_leaf(tree, message_id)
    return replace(state, leaf_id=leaf_id, message_id=message_id)


_NO_SESSION: Final = BadInput(
    "this address", "there is no such session", "start a new session, or choose another one"
)


def _session_view(
    services: Services, state: TabState, setup: RunConfig, message: str, *, is_preset: bool = False
) -> EditorsView:
    """Return the editors with the texts of a session; the browser shows the drafts that it has of them.

    With `is_preset`, the texts replace the drafts, which can be brought back.
    """
    saved = saved_contract(services, setup.contract_name)
    changes = session_changes(state, setup, message, saved_contract=saved)
    if is_preset:
        changes = (*changes, *preset_changes(state, setup, saved_contract=saved))
    return PLAY_EDITORS.changed(services.calendar.seconds(), *changes)


@dataclass(frozen=True, slots=True)
class BranchEvents:
    """Handlers of the branch tree."""

    services: Services

    @needs(Permission.WORK)
    def on_ask(self, state: TabState, request: gr.Request, event: gr.EventData) -> BranchesView | Update:
        """Return the branches of the open session."""
        services = services_of(self.services, state, request)
        try:
            branch_tree = _branch_tree(services, state, id_of(event))
            if branch_tree is None:
                return SAME
            deleted = services.sessions.deleted_messages(state.session_id or "")
        except WorkbenchError:
            return SAME
        return show_branches(branch_tree, id_of(event), deleted)


def agreement_notice(services: Services, state: TabState) -> NoticeView:
    """Return a notice of how many answers agree at the last branching point of the shown path.

    Raises:
        StoreError: The answers cannot be read.
    """
    branch_tree = _branch_tree(services, state, state.leaf_id or "")
    agreement = branch_tree.agreement if branch_tree else None
    return advice(agreement_words(agreement) if agreement else "")


def _branch_tree(services: Services, state: TabState, shown_id: str) -> BranchTree | None:
    if state.session_id is None or state.share_key is not None:
        return None
    material = services.corpus.material(state.session_id)
    if not isinstance(material, SessionMaterial) or shown_id not in material.by_id:
        return None
    tree = services.sessions.tree(state.session_id)
    return branches_of(tree, material, tools_of(material.setup), shown_id=shown_id)
