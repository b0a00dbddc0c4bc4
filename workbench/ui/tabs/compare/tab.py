"""Connect the components of the Compare tab with their handlers."""

from collections.abc import Sequence

import gradio as gr

from workbench.app.services import Services
from workbench.ui.gradio_parts.listen import (
    WITH_DRAFTS,
    Trigger,
    after_filling,
    any_of,
    listen,
    mark_filled,
    when_filled,
)
from workbench.ui.gradio_parts.names import Block
from workbench.ui.tabs.compare.events import CompareEvents
from workbench.ui.tabs.compare.parts import CompareParts
from workbench.ui.tabs.compare.target_events import TargetEvents
from workbench.ui.tabs.play.tab import PlayParts
from workbench.ui.tabs.tab_work import TabWork


def keep_drafts(form: Sequence[Block]) -> None:
    """Store the whole form in the browser whenever a field changes."""
    changes: list[Trigger] = [getattr(part, "change") for part in form]  # noqa: B009 - `Block` names no events
    listen(
        any_of(*changes),
        None,
        form,
        js="(...values) => hermesWorkbench.documents.keepForm('compare', values)",
        is_queued=False,
    )


def wire(
    blocks: gr.Blocks,
    parts: CompareParts,
    services: Services,
    work: TabWork,
    *,
    tabs: gr.Tabs,
    tab: gr.Tab,
    play: PlayParts,
) -> None:
    """Connect the components with their handlers.

    Args:
        blocks: The page; opening it restores the form.
        work: What the open tabs are busy with, where comparisons can be stopped.
        tab: The tab itself; opening it refreshes the choices.
        play: The Play tab, which holds the state of the tab and whose turns can be compared.
    """
    events, screen = CompareEvents(services, work), parts.screen(tabs)
    state, setup = play.state, play.setup
    contracts = [column.contract for column in parts.columns]
    models = [column.model for column in parts.columns]
    listen(
        tab.select,
        events.on_open,
        [state, parts.drafts],
        [*contracts, *models, parts.shared.previous],
        js=WITH_DRAFTS,
    )
    listen(
        parts.shared.used.change,
        events.on_count,
        [parts.shared.used],
        [column.pane for column in parts.columns],
        is_latest_only=True,
    )
    inputs = [state, parts.drafts, setup.contract_name, setup.contract_text, *parts.form]
    listen(parts.ask.run.click, events.on_run, inputs, screen, js=WITH_DRAFTS, is_model_work=True)
    board = [state, parts.board]
    listen(parts.board.event("compare_go_on"), events.on_go_on, board, screen, is_model_work=True)
    for stopped in (parts.ask.stop.click, parts.live.event("compare_stop")):
        listen(stopped, events.on_stop, board, is_queued=False)
    shown = listen(
        parts.board.event("compare_example"), events.on_example, [], [parts.ask.question, parts.shared.tools]
    )
    listen(shown.then, None, js="() => (document.querySelector('#compare-run').click(), [])", is_queued=False)
    listen(parts.live.event("compare_watch"), events.on_watch, board, screen, is_model_work=True)
    listen(parts.board.event("compare_vote"), events.on_vote, board, screen)
    listen(parts.board.event("compare_unvote"), events.on_unvote, board, screen)
    chosen = [state, parts.shared.previous]
    listen(parts.shared.previous.input, events.on_show, chosen, screen, is_latest_only=True)
    _wire_form(blocks, parts, TargetEvents(services, work), tabs=tabs, tab=tab, play=play)
    keep_drafts(parts.form)


def _wire_form(
    blocks: gr.Blocks,
    parts: CompareParts,
    events: TargetEvents,
    *,
    tabs: gr.Tabs,
    tab: gr.Tab,
    play: PlayParts,
) -> None:
    screen, state = parts.screen(tabs), play.state
    whole = [*screen, *parts.column_fields]
    of_play = [play.setup.toolset, *play.setup.fields]
    restored = listen(
        blocks.load,
        events.on_page,
        [parts.draft, parts.secret, *of_play],
        whole,
        js="async (_draft, _secret, ...play) =>"
        " [await hermesWorkbench.documents.keptForm('compare'), ...hermesWorkbench.readSecret(), ...play]",
    )
    listen(parts.board.event("compare_open"), events.on_open_comparison, [state], whole, is_latest_only=True)
    listen(parts.shared.link.submit, events.on_link, [state, parts.shared.link], [*screen, parts.shared.link])
    selected = [state, parts.ask.question, parts.target]
    listen(tab.select, events.on_enter, selected, whole, js=when_filled("compare"))
    # A turn that is chosen in Play comes last, so that nothing replaces it.
    entered = listen(restored.then, events.on_enter, selected, whole)
    listen(entered.then, None, js=mark_filled("compare"), is_queued=False)
    listen(parts.shared.take.click, events.on_take, [state, *of_play], whole)
    listen(
        play.conversation.transcript.event("compare_turn"),
        events.on_turn,
        [state],
        whole,
        js=after_filling("compare"),
    )
    scoped = [state, parts.target, parts.shared.scope]
    listen(parts.shared.scope.input, events.on_scope, scoped, [parts.ask.line], is_latest_only=True)
    listen(parts.ask.line.event("compare_drop"), events.on_drop, [], screen)
