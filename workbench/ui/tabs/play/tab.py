"""The Play tab: its parts, built and wired."""

from dataclasses import dataclass

import gradio as gr
from gradio.blocks import Block

from workbench.desk.services import Services
from workbench.ui.components.address import Address
from workbench.ui.components.header import Header
from workbench.ui.listen import Trigger, any_of, listen
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
from workbench.ui.tabs.play.waiting_pane import wire_waiting
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
        own = {
            "visitor": self.visitor,
            "sessions": self.sessions.sessions,
            "header": header,
            "address": address,
        }
        return [
            own.get(name)
            or getattr(self.talk, name, None)
            or getattr(self.talk.asking, name, None)
            or getattr(self.inspector, name)
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


def wire(
    blocks: gr.Blocks, parts: PlayParts, services: Services, runs: Runs, header: Header, address: Address
) -> None:
    """Lets the parts answer."""
    setups = SetupEvents(services)
    turns = TurnEvents(services, runs, setups)
    sessions = SessionEvents(services, setups, turns)
    screen = parts.screen(header, address)
    _wire_setup(parts.setup, setups, header)
    _wire_turns(blocks, parts, turns, screen)
    _warm(_wire_sessions(blocks, parts, sessions, screen), parts.setup, setups, header)
    wire_waiting(parts.talk.asking, runs, is_local=not services.settings.is_space)
    keep_drafts(parts.talk.composer, parts.setup)


def _wire_setup(setup: SetupParts, setups: SetupEvents, header: Header) -> None:
    contract, tools, model = setup.contract, setup.tools, setup.model
    listen(
        contract.contract.input,
        setups.on_contract,
        [contract.contract],
        [contract.contract_text, contract.contract_notice],
    )
    listen(
        tools.toolset.input,
        setups.on_toolset,
        [tools.toolset],
        [tools.tools_text, tools.tools_notice, tools.disabled_tools],
    )
    listen(
        tools.tools_text.change,
        setups.on_tools_text,
        [tools.tools_text, tools.disabled_tools, model.tool_choice],
        [tools.tools_notice, tools.enabled_tools, model.tool_choice],
        is_latest_only=True,
    )
    listen(
        tools.enabled_tools.input,
        setups.on_enabled,
        [tools.tools_text, tools.enabled_tools, model.tool_choice],
        [tools.disabled_tools, model.tool_choice],
    )
    # One listener for all three: its last run has seen all of them, whatever order they change in.
    texts = any_of(contract.contract_text.change, tools.tools_text.change, tools.disabled_tools.change)
    composed = [contract.system_text, contract.contract_notice]
    listen(texts, setups.on_compose, setup.fields, composed, is_latest_only=True)
    asked = [model.model, model.tool_choice]
    listen(model.tool_choice.change, setups.on_model, asked, [model.model_notice])
    _warm(model.model.input, setup, setups, header)


def _warm(trigger: Trigger, setup: SetupParts, setups: SetupEvents, header: Header) -> None:
    """Loads the chosen model, then counts the system text's tokens with it."""
    contract, model = setup.contract, setup.model
    asked = [model.model, model.tool_choice]
    warmed = listen(trigger, setups.on_warm, asked, [header, model.model_notice], is_model_work=True)
    listen(warmed.then, setups.on_compose, setup.fields, [contract.system_text, contract.contract_notice])


def _wire_turns(blocks: gr.Blocks, parts: PlayParts, turns: TurnEvents, screen: list[Block]) -> None:
    talk, setup, visitor = parts.talk, parts.setup, parts.visitor
    begun = listen(talk.send.click, turns.on_begin, [visitor, talk.composer], screen, is_queued=False)
    drop_draft(begun.then)
    asked = [visitor, talk.stepped, *setup.fields]
    sent = listen(begun.then, turns.on_send, asked, screen, is_model_work=True)
    listen(sent.then, turns.on_settle, [visitor, setup.model.model], screen, is_queued=False)
    listen(talk.stop.click, turns.on_stop, is_queued=False)
    blocks.unload(turns.on_leave)


def _wire_sessions(
    blocks: gr.Blocks, parts: PlayParts, sessions: SessionEvents, screen: list[Block]
) -> Trigger:
    """Wires the session list; what comes back fires once the page is open."""
    own, setup = parts.sessions, parts.setup
    whole = [*screen, *setup.fields, setup.tools.toolset, setup.tools.enabled_tools]
    opened = listen(blocks.load, sessions.on_page, [parts.draft], whole, js=READ_DRAFT)
    listen(own.sessions.event("open_session"), sessions.on_open_session, [], whole)
    listen(own.new.click, sessions.on_new, [], whole)
    drop_draft(own.new.click)
    offered = [setup.tools.tools_text, setup.tools.disabled_tools]
    changed = any_of(setup.tools.tools_text.change, setup.tools.disabled_tools.change)
    listen(
        changed,
        sessions.on_tools,
        [parts.visitor, *offered],
        [parts.talk.transcript],
        is_latest_only=True,
    )
    listen(parts.talk.transcript.event("pick"), sessions.on_pick, [parts.visitor], screen)
    listen(parts.talk.transcript.event("example"), sessions.on_example, [], [parts.talk.composer])
    listen(own.export_open.click, sessions.on_export_open, [parts.visitor], [own.download, own.notice])
    listen(own.export_all.click, sessions.on_export_all, [], [own.download, own.notice])
    return opened.then
