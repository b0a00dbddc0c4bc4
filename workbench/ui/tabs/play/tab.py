"""Build the Play tab and connect its events."""

import json
from collections.abc import Callable
from functools import partial
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import TextField
from workbench.ui.components.layout import PlainRow
from workbench.ui.frame import PageFrame
from workbench.ui.gradio_parts.listen import NamedOutputs, Trigger, any_of, listen, outputs_of
from workbench.ui.gradio_parts.names import Block
from workbench.ui.gradio_parts.open_pages import current_state
from workbench.ui.present.documents import COMPOSER, TEXT_FIELDS, edited_in
from workbench.ui.present.setup import SETUP_FIELDS
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.conversation_column import (
    ConversationParts,
    InspectorParts,
    SessionsParts,
    wire_waiting,
)
from workbench.ui.tabs.play.inspector_events import DecisionEvents, InspectorEvents
from workbench.ui.tabs.play.late_answers import StateOf, of_shown_session
from workbench.ui.tabs.play.list_events import ListEvents
from workbench.ui.tabs.play.message_events import MessageEvents
from workbench.ui.tabs.play.news_events import NewsEvents
from workbench.ui.tabs.play.opening_events import OpeningEvents
from workbench.ui.tabs.play.preset_events import PresetEvents
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.play.session_events import BranchEvents, SessionEvents
from workbench.ui.tabs.play.setup_column import SetupParts
from workbench.ui.tabs.play.setup_events import SetupEvents, VersionEvents
from workbench.ui.tabs.play.turn_events import TurnEvents
from workbench.ui.tabs.play.world_events import WorldEvents
from workbench.ui.tabs.tab_work import TabWork

_UNLESS_LOADED: Final = (
    "(...values) => (values[3]?.is_loaded ? hermesWorkbench.drop('the model is loaded') : values)"
)
_IF_SERVERS_ARE_UNKNOWN: Final = (
    "(...values) => (values[1]?.is_loaded && values[1].asks_servers ? values"
    " : hermesWorkbench.drop('loading the model asks the servers, or their models are known'))"
)
_EDITED: Final = edited_in("play-contract-text", "contract")
Guard = Callable[[Callable[..., object]], Callable[..., object]]
"""`of_shown_session` of the page."""
_WRITTEN: Final = (
    "(...values) => hermesWorkbench.written(values, "
    f"{json.dumps(['', '', '', *(TEXT_FIELDS.get(name, '') for name in SETUP_FIELDS)])})"
)
"""Sends the texts of the setup as they are in their documents."""
_NEW: Final = "() => { hermesWorkbench.router.goTo('play', {}); return []; }"
_KEEP_SETUP: Final = f"(...values) => hermesWorkbench.keepSetup({json.dumps(SETUP_FIELDS)}, values)"


class PlayParts:
    """All components of the tab, and those around it that show a session. `wire` connects their events."""

    def __init__(self, services: Services, frame: PageFrame, tour: Drawn) -> None:
        self.state = gr.State(TabState())
        self.secret = TextField(visible=False, elem_id="play-secret")
        self.place = TextField(visible=False, elem_id="play-place")
        """The address of what the tab should show when the page opens."""
        with PlainRow(elem_id="play-columns"):
            self.sessions = SessionsParts()
            self.setup = SetupParts(services)
            self.conversation = ConversationParts()
            self.inspector = InspectorParts()
        own = (self, self.conversation, self.conversation.asking, self.inspector)
        around = {"header": frame.header, "address": frame.address, "sessions": self.sessions.sessions}
        self.screen = outputs_of(Screen, *own, **around)
        """What shows a session."""
        self.whole = {**self.screen, "filled": self.setup.filled}
        """The same, with the setup."""
        self.page = {
            **self.whole,
            "account": frame.account,
            "presets": self.setup.presets,
            "tour": tour,
            "demo": self.sessions.demo,
        }
        """What opening the page fills in."""


def wire(
    blocks: gr.Blocks,
    parts: PlayParts,
    services: Services,
    work: TabWork,
    frame: PageFrame,
    *,
    tab: gr.Tab,
) -> None:
    """Connect the components with their handlers, and open the page when it is loaded."""
    header = frame.header
    setups = SetupEvents(services)
    turns = TurnEvents(services, work, setups, _states(blocks, parts.state))
    sessions = SessionEvents(services, setups)
    of_shown = partial(of_shown_session, visitor_of=turns.visitor_of)
    screen = parts.screen
    _wire_setup(parts, setups, header, tab)
    _wire_presets(parts, PresetEvents(services, setups), header)
    _wire_versions(parts, VersionEvents(services))
    _wire_turns(blocks, parts, turns, screen)
    _wire_messages(parts, turns, screen, of_shown)
    opened = listen(
        blocks.load,
        OpeningEvents(services, sessions).on_page,
        [parts.secret, parts.setup.stored, parts.place],
        parts.page,
        js="() => [...hermesWorkbench.secret(), ...hermesWorkbench.readSetup(), ...hermesWorkbench.router.ofPlay()]",
    )
    listen(opened.then, None, parts.setup.fields, js=_KEEP_SETUP, is_queued=False)
    _warm(opened.then, parts.state, parts.setup, setups, header, js=_UNLESS_LOADED)
    listen(
        opened.then, setups.on_servers, [parts.state, header], [parts.setup.model], js=_IF_SERVERS_ARE_UNKNOWN
    )
    _wire_sessions(parts, sessions, of_shown)
    _wire_list(parts, ListEvents(services, sessions))
    looks = of_shown(NewsEvents(services).on_look)
    listen(parts.sessions.sessions.event("look_sessions"), looks, [parts.state], screen, is_queued=False)
    _wire_inspector(parts, services, work, screen, of_shown)
    wire_waiting(parts.conversation.asking, parts.conversation.editors, services, parts.state)


def warm_after(trigger: Trigger, parts: PlayParts, services: Services, header: Drawn) -> None:
    """Load the model after another tab has chosen it."""
    _warm(trigger, parts.state, parts.setup, SetupEvents(services), header)


def _states(blocks: gr.Blocks, state: gr.State) -> StateOf:
    """Return a function that looks up what a tab shows, by the tab's id."""
    look_up = current_state(blocks, state)

    def visitor_of(tab: str) -> TabState | None:
        found = look_up(tab)
        return found if isinstance(found, TabState) else None

    return visitor_of


def _wire_setup(parts: PlayParts, setups: SetupEvents, header: Drawn, tab: gr.Tab) -> None:
    setup = parts.setup
    listen(
        tab.select,
        setups.on_choices,
        [parts.state, setup.contract_name, setup.toolset],
        [setup.contract_name, setup.toolset, setup.contract_notice],
        # Gradio also selects the tab when it draws it. Nothing is chosen then: opening the page fills in the choices.
        js="(...values) => (values[1] === null ? hermesWorkbench.drop('the page is being opened') : values)",
    )
    listen(
        setup.contract_name.input,
        setups.on_contract,
        [parts.state, setup.contract_name],
        [parts.conversation.editors, setup.contract_notice],
        is_latest_only=True,
    )
    listen(
        setup.toolset.input,
        setups.on_toolset,
        [parts.state, setup.toolset],
        [parts.conversation.editors, setup.tools_notice, setup.disabled_tools],
        is_latest_only=True,
    )
    listen(
        setup.tools_notice.event("import_tools"),
        setups.on_import_tools,
        [parts.state, setup.tools_text],
        [parts.conversation.editors, setup.tools_notice],
    )
    listen(
        any_of(parts.conversation.editors.event("change_texts"), setup.disabled_tools.event("switch_tool")),
        setups.on_texts,
        [parts.state, setup.contract_name, setup.contract_text, *setup.fields],
        [
            *setup.composed,
            setup.versions,
            setup.tools_notice,
            setup.disabled_tools,
            setup.tool_choice,
            parts.conversation.transcript,
        ],
        js=_EDITED,
        is_latest_only=True,
    )
    editors = [setup.contract_code, setup.tools_code]
    opened = "() => [{__type__: 'update', visible: true}, {__type__: 'update', visible: true}]"
    listen(parts.conversation.editors.event("open_editors"), None, [], editors, js=opened, is_queued=False)
    inputs = [setup.model, setup.tool_choice]
    listen(setup.tool_choice.change, setups.on_model, inputs, [setup.model_notice], is_latest_only=True)
    _warm(setup.model.input, parts.state, setup, setups, header)


def _wire_presets(parts: PlayParts, events: PresetEvents, header: Drawn) -> None:
    setup, bar = parts.setup, parts.setup.presets
    inputs = [parts.state, *setup.fields]
    outputs = {"presets": bar, "editors": parts.conversation.editors, "filled": setup.filled}
    acted = listen(bar.event("preset_act"), events.on_act, inputs, outputs)
    _warm(acted.then, parts.state, setup, events.setups, header)
    # The browser stores the setup in use, so that a reload starts with it.
    listen(bar.event("setup_changed"), None, setup.fields, js=_KEEP_SETUP, is_queued=False)


def _wire_versions(parts: PlayParts, versions: VersionEvents) -> None:
    setup = parts.setup
    line, name, text, notice = (
        setup.versions,
        setup.contract_name,
        setup.contract_text,
        setup.contract_notice,
    )
    edited = [parts.state, name, text]
    result = [line, notice, parts.conversation.editors]
    listen(line.event("save_version"), versions.on_save, edited, result, js=_EDITED)
    listen(line.event("restore_version"), versions.on_restore, edited, result, js=_EDITED)
    listen(line.event("mark_version"), versions.on_mark, edited, [line, notice], js=_EDITED)


def _warm(
    trigger: Trigger,
    state: gr.State,
    setup: SetupParts,
    setups: SetupEvents,
    header: Drawn,
    *,
    js: str | None = None,
) -> None:
    """Load the chosen model, then count the system text's tokens with it, and list the models of servers."""
    inputs = [state, setup.model, setup.tool_choice, header]
    outputs = [header, setup.model_notice]
    warmed = listen(trigger, setups.on_warm, inputs, outputs, js=js, is_model_work=True)
    listen(warmed.then, setups.on_compose, [state, *setup.fields], setup.composed)
    listen(warmed.then, setups.on_servers, [state, header], [setup.model])


def _wire_turns(blocks: gr.Blocks, parts: PlayParts, turns: TurnEvents, screen: NamedOutputs) -> None:
    conversation, setup, state = parts.conversation, parts.setup, parts.state
    inputs = [state, conversation.composer, setup.execution, setup.samples, *setup.fields]
    # The fields that show documents, among the inputs.
    fields = json.dumps(["", COMPOSER, "", "", *(TEXT_FIELDS.get(name, "") for name in SETUP_FIELDS)])
    texts_now = f"(...values) => hermesWorkbench.sent(values, {fields})"
    listen(conversation.send.click, turns.on_begin, inputs, screen, js=texts_now, is_queued=False)
    example = conversation.transcript.event("example")
    listen(example, turns.on_example, _without_text(parts), parts.whole, js=_WRITTEN, is_queued=False)
    adding = [
        parts.conversation.editors,
        setup.tools_notice,
        setup.disabled_tools,
        setup.toolset,
        conversation.notice,
    ]
    listen(
        conversation.notice.event("add_toolset"), turns.setups.on_add_toolset, [state, setup.toolset], adding
    )
    watched = listen(
        conversation.live.event("watch_turn"), turns.on_watch, [state], screen, is_model_work=True
    )
    listen(watched.then, turns.on_settle, [state, setup.model], screen, is_queued=False)
    listen(conversation.stop.click, turns.on_stop, [state], is_queued=False)
    blocks.unload(turns.on_leave)


def _without_text(parts: PlayParts) -> list[Block]:
    """Return the inputs of a turn that does not send what is in the composer."""
    return [parts.state, parts.setup.execution, parts.setup.samples, *parts.setup.fields]


def _wire_messages(parts: PlayParts, turns: TurnEvents, screen: NamedOutputs, of_shown: Guard) -> None:
    conversation, state = parts.conversation, parts.state
    messages, pane = MessageEvents(turns.services, turns.work), conversation.message_pane
    inputs = _without_text(parts)
    play_on = conversation.transcript.event("play_on")
    listen(play_on, messages.on_begin, inputs, screen, js=_WRITTEN, is_queued=False)
    listen(pane.event("save_message"), messages.on_save, inputs, screen, is_queued=False)
    listen(conversation.transcript.event("message_act"), of_shown(messages.on_act), [state], screen)
    listen(pane.event("edit_again"), of_shown(messages.on_edit_again), [state], screen)
    for undo in (pane, conversation.branches):
        listen(undo.event("restore_message"), of_shown(messages.on_restore), [state], screen)
    listen(pane.event("close_pane"), messages.on_close, [], [pane], is_queued=False)


def _wire_sessions(parts: PlayParts, sessions: SessionEvents, of_shown: Guard) -> None:
    own, setup, state, screen = parts.sessions, parts.setup, [parts.state], parts.screen
    opened = own.sessions.event("open_session")
    inputs = [*state, *setup.fields]
    listen(opened, sessions.on_open_session, inputs, parts.whole, is_latest_only=True)
    listen(own.new.click, None, js=_NEW)
    transcript = parts.conversation.transcript
    branches = parts.conversation.branches
    for pane in (transcript, branches):
        listen(pane.event("branch"), of_shown(sessions.on_branch), state, screen)
    on_ask = BranchEvents(sessions.services).on_ask
    listen(branches.event("ask_branches"), on_ask, state, [branches], is_latest_only=True)


def _wire_inspector(
    parts: PlayParts, services: Services, work: TabWork, screen: NamedOutputs, of_shown: Guard
) -> None:
    own, state, events = parts.inspector, [parts.state], InspectorEvents(services)
    weigh = of_shown(DecisionEvents(services, work).on_weigh)
    for pane in (own.decision, own.tokens):
        listen(pane.event("weigh"), weigh, state, screen, is_model_work=True)
    pick, pick_call = of_shown(events.on_pick), of_shown(events.on_pick_call)
    listen(parts.conversation.transcript.event("pick"), pick, state, screen, is_in_order=True)
    listen(own.calls.event("pick"), pick_call, state, screen, is_in_order=True)
    listen(own.raw.event("ask_raw"), events.on_ask_raw, state, [own.raw])
    compared = [own.raw_diff, own.raw_notice]
    listen(own.raw.event("compare_prompt"), events.on_compare, state, compared, is_latest_only=True)
    listen(own.tokens.event("ask_tokens"), events.on_ask_tokens, state, [own.tokens])
    listen(own.differ.event("ask_differ"), events.on_ask_differ, state, [own.differ])
    worlds = WorldEvents(services, work)
    listen(own.world.event("ask_world"), worlds.on_ask_world, state, [own.world])
    listen(own.world.event("edit_world"), of_shown(worlds.on_edit_world), state, screen)


def _wire_list(parts: PlayParts, events: ListEvents) -> None:
    screen, whole = parts.screen, parts.whole
    own, bar, state = parts.sessions, parts.conversation.bar, [parts.state]
    listen(bar.event("rename_session"), events.on_rename, state, screen)
    listen(bar.event("tag_session"), events.on_tag, state, screen)
    listen(bar.event("share_session"), events.on_share, state, screen)
    listen(bar.event("unshare_session"), events.on_unshare, state, screen)
    listen(bar.event("copy_session"), events.on_copy, state, whole)
    listen(own.sessions.event("delete_session"), events.on_delete, state, whole)
    listen(own.sessions.event("restore_session"), events.on_restore, state, screen)
    listen(own.sessions.event("scope"), events.on_scope, state, screen)
    listen(own.sessions.event("search_sessions"), events.on_search, state, screen, is_latest_only=True)
    listen(own.sessions.event("list_more"), events.on_more, state, screen)
    listen(own.export_open.click, events.on_export_open, state, [own.download, own.notice])
    listen(own.export_all.click, events.on_export_all, state, [own.download, own.notice])
