"""The Play tab: its parts, built and wired."""

from dataclasses import dataclass

import gradio as gr
from gradio.blocks import Block

from workbench.desk.services import Services
from workbench.ui.components.address import Address
from workbench.ui.components.header import Header
from workbench.ui.listen import listen
from workbench.ui.tabs.play.drafts import READ_DRAFT, drop_draft, keep_drafts
from workbench.ui.tabs.play.inspector_column import InspectorParts, build_inspector
from workbench.ui.tabs.play.runs import Runs
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.play.session_events import SessionEvents
from workbench.ui.tabs.play.sessions_column import SessionsParts, build_sessions
from workbench.ui.tabs.play.setup_column import SetupParts, build_setup
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.play.talk_column import TalkParts, build_talk
from workbench.ui.tabs.play.turn_events import TurnEvents
from workbench.ui.visitor import Visitor


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayParts:
    """All parts of the tab."""

    visitor: gr.State
    draft: gr.Textbox
    sessions: SessionsParts
    setup: SetupParts
    talk: TalkParts
    inspector: InspectorParts

    def screen(self, header: Header, address: Address) -> list[Block]:
        """The parts that a `Screen` has values for, in its order."""
        own = {"visitor": self.visitor, "sessions": self.sessions.sessions, "header": header, "address": address}
        return [
            own.get(name) or getattr(self.talk, name, None) or getattr(self.inspector, name)
            for name in Screen._fields
        ]


def build(services: Services) -> PlayParts:
    """Builds the tab; nothing happens in it before `wire`."""
    visitor = gr.State(Visitor())
    draft = gr.Textbox(visible=False, elem_id="play-draft")
    with gr.Row(elem_id="play-columns"):
        return PlayParts(
            visitor=visitor,
            draft=draft,
            sessions=build_sessions(),
            setup=build_setup(services),
            talk=build_talk(),
            inspector=build_inspector(),
        )


def wire(blocks: gr.Blocks, parts: PlayParts, services: Services, runs: Runs, header: Header, address: Address) -> None:
    """Lets the parts answer."""
    setups = SetupEvents(services)
    turns = TurnEvents(services, runs, setups)
    sessions = SessionEvents(services, setups, turns)
    screen = parts.screen(header, address)
    _wire_setup(parts, setups, header)
    _wire_turns(blocks, parts, turns, screen)
    _wire_sessions(blocks, parts, sessions, setups, screen, header)
    keep_drafts(parts.talk.composer, parts.setup)


def _wire_setup(parts: PlayParts, setups: SetupEvents, header: Header) -> None:
    own = parts.setup
    listen(own.contract.input, setups.on_contract, [own.contract], [own.contract_text, own.contract_notice])
    listen(own.toolset.input, setups.on_toolset, [own.toolset], [own.tools_text, own.tools_notice, own.disabled_tools])
    listen(
        own.tools_text.change,
        setups.on_tools_text,
        [own.tools_text, own.disabled_tools, own.tool_choice],
        [own.tools_notice, own.enabled_tools, own.tool_choice],
        is_latest_only=True,
    )
    listen(
        own.enabled_tools.input,
        setups.on_enabled,
        [own.tools_text, own.enabled_tools, own.tool_choice],
        [own.disabled_tools, own.tool_choice],
    )
    for part in (own.contract_text, own.tools_text, own.disabled_tools):
        listen(part.change, setups.on_compose, own.fields, [own.system_text, own.contract_notice], is_latest_only=True)
    listen(own.tool_choice.change, setups.on_model, [own.model, own.tool_choice], [own.model_notice])
    warmed = listen(
        own.model.change, setups.on_warm, [own.model, own.tool_choice], [header, own.model_notice], is_model_work=True
    )
    listen(warmed.then, setups.on_compose, own.fields, [own.system_text, own.contract_notice])


def _wire_turns(blocks: gr.Blocks, parts: PlayParts, turns: TurnEvents, screen: list[Block]) -> None:
    talk, fields = parts.talk, parts.setup.fields
    begun = listen(talk.send.click, turns.on_begin, [parts.visitor, talk.composer], screen, is_queued=False)
    drop_draft(begun.then)
    sent = listen(begun.then, turns.on_send, [parts.visitor, *fields], screen, is_model_work=True)
    listen(sent.then, turns.on_settle, [parts.visitor, parts.setup.model], screen, is_queued=False)
    listen(talk.stop.click, turns.on_stop, is_queued=False)
    blocks.unload(turns.on_leave)


def _wire_sessions(
    blocks: gr.Blocks,
    parts: PlayParts,
    sessions: SessionEvents,
    setups: SetupEvents,
    screen: list[Block],
    header: Header,
) -> None:
    own, setup = parts.sessions, parts.setup
    whole = [*screen, *setup.fields, setup.toolset, setup.enabled_tools]
    opened = listen(blocks.load, sessions.on_page, [parts.draft], whole, js=READ_DRAFT)
    warmed = listen(
        opened.then, setups.on_warm, [setup.model, setup.tool_choice], [header, setup.model_notice], is_model_work=True
    )
    listen(warmed.then, setups.on_compose, setup.fields, [setup.system_text, setup.contract_notice])
    listen(own.sessions.event("open_session"), sessions.on_open_session, [], whole)
    listen(own.new.click, sessions.on_new, [], whole)
    drop_draft(own.new.click)
    listen(parts.talk.transcript.event("pick"), sessions.on_pick, [parts.visitor], screen)
    listen(parts.talk.transcript.event("example"), sessions.on_example, [], [parts.talk.composer])
    listen(own.export_open.click, sessions.on_export_open, [parts.visitor], [own.download, own.notice])
    listen(own.export_all.click, sessions.on_export_all, [], [own.download, own.notice])
