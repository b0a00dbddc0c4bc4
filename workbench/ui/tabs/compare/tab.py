"""The Compare tab, wired."""

import gradio as gr

from workbench.desk.services import Services
from workbench.ui.listen import listen
from workbench.ui.tabs.compare.drafts import READ_DRAFT, keep_drafts
from workbench.ui.tabs.compare.events import CompareEvents
from workbench.ui.tabs.compare.parts import CompareParts
from workbench.ui.tabs.compare.target_events import TargetEvents
from workbench.ui.tabs.play.runs import Runs
from workbench.ui.tabs.play.tab import PlayParts


def wire(
    blocks: gr.Blocks,
    parts: CompareParts,
    services: Services,
    runs: Runs,
    *,
    tabs: gr.Tabs,
    tab: gr.Tab,
    play: PlayParts,
) -> None:
    """Lets the parts answer.

    Args:
        blocks: The page; it opens at this tab where the address bar names a comparison.
        parts: Of the tab.
        services: The edges.
        runs: Where comparisons can be stopped.
        tabs: All tabs.
        tab: The tab itself; what can be chosen is looked up each time that it is opened.
        play: The Play tab: says whose comparisons they are, and its turns can be compared.
    """
    events, screen = CompareEvents(services, runs), parts.screen(tabs)
    visitor, contract = play.visitor, play.setup.contract
    contracts = [column.contract for column in parts.columns]
    models = [column.model for column in parts.columns]
    listen(tab.select, events.on_open, [visitor], [*contracts, *models, parts.former])
    listen(parts.used.change, events.on_count, [parts.used], [column.pane for column in parts.columns])
    asked = [visitor, contract.contract, contract.contract_text, *parts.form]
    listen(parts.run.click, events.on_run, asked, screen, is_model_work=True)
    board = [visitor, parts.board]
    listen(parts.board.event("compare_go_on"), events.on_go_on, board, screen, is_model_work=True)
    for stopped in (parts.stop.click, parts.live.event("compare_stop")):
        listen(stopped, events.on_stop, is_queued=False)
    listen(parts.board.event("compare_vote"), events.on_vote, board, screen)
    listen(parts.board.event("compare_unvote"), events.on_unvote, board, screen)
    listen(parts.former.input, events.on_show, [visitor, parts.former], screen)
    blocks.unload(events.on_leave)
    _wire_form(blocks, parts, TargetEvents(services), tabs=tabs, play=play)
    keep_drafts(parts.form)


def _wire_form(
    blocks: gr.Blocks, parts: CompareParts, events: TargetEvents, *, tabs: gr.Tabs, play: PlayParts
) -> None:
    screen, visitor = parts.screen(tabs), play.visitor
    whole = [*screen, *parts.column_fields]
    listen(blocks.load, events.on_page, [parts.draft, parts.secret], whole, js=READ_DRAFT)
    linked = [visitor, parts.link, parts.scope]
    listen(parts.link.submit, events.on_link, linked, [*screen, parts.link])
    listen(parts.take.click, events.on_take, [visitor, parts.scope], whole)
    turn = play.talk.transcript.event("compare_turn")
    listen(turn, events.on_turn, [visitor, parts.scope], whole)
    scoped = [visitor, parts.target, parts.scope]
    listen(parts.scope.input, events.on_scope, scoped, [parts.line])
    listen(parts.line.event("compare_drop"), events.on_drop, [], screen)
