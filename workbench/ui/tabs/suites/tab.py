"""Connect the components of the Suites tab with their handlers."""

from typing import Any, cast

import gradio as gr

from workbench.app.services import Services
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import TextField
from workbench.ui.gradio_parts.listen import WITH_DRAFTS, any_of, listen
from workbench.ui.gradio_parts.names import Block
from workbench.ui.tabs.active_runs import ActiveRuns
from workbench.ui.tabs.play.tab import PlayParts
from workbench.ui.tabs.suites.edit_events import SuiteEditEvents, suite_texts
from workbench.ui.tabs.suites.improve_events import ImproveEvents
from workbench.ui.tabs.suites.list_events import RunListEvents
from workbench.ui.tabs.suites.parts import EDITED, SuitesParts
from workbench.ui.tabs.suites.result_events import RunResultEvents
from workbench.ui.tabs.suites.run_events import RunEvents, read_request
from workbench.ui.tabs.version_events import TextNameEvents


def wire(
    parts: SuitesParts,
    services: Services,
    active_runs: ActiveRuns,
    play: PlayParts,
    *,
    tab: gr.Tab,
) -> None:
    """Connect the components with their handlers.

    Args:
        play: The Play tab, which holds the state of the tab and whose turns can become cases.
        tab: The tab itself; opening it refreshes the choices.
    """
    running = RunEvents(services, active_runs)
    _wire_runs(parts, running, play, tab=tab)
    _wire_improve(parts, running, play)
    _wire_looks(parts, RunResultEvents(services, active_runs), running, play)
    _wire_list(parts, RunListEvents(services, active_runs), play)
    _wire_editor(
        parts, SuiteEditEvents(services, suite_texts(services)), [play.state], play.sessions.download
    )


def _wire_runs(parts: SuitesParts, events: RunEvents, play: PlayParts, *, tab: gr.Tab) -> None:
    grid, run, state = parts.grid, parts.run, [play.state]
    screen = run.screen
    opened = [*screen, grid.suites, grid.contracts, grid.models, grid.judge, grid.person]
    drafts = TextField(visible=False, elem_id="suites-drafts")
    inputs = [*state, drafts, *grid.fields]
    opened_tab = listen(tab.select, events.on_open, [*state, drafts], opened, js=WITH_DRAFTS)
    linked = listen(run.run.event("open_run"), events.on_open_run, state, screen, is_latest_only=True)
    # Not `input`: a typed value that is not among a dropdown's choices only fires `change`.
    changed = any_of(tab.select, *(cast(Any, field).change for field in grid.fields))
    listen(
        changed, events.on_size, inputs, [grid.size], js=WITH_DRAFTS, is_latest_only=True, is_in_order=True
    )
    started = listen(grid.start.click, events.on_run, inputs, screen, js=WITH_DRAFTS)
    resumed = listen(run.run.event("resume_run"), events.on_resume, state, screen)
    for step in (opened_tab, linked):
        listen(step.then, events.on_watch_shown, [*state, run.shown], screen, is_model_work=True)
    for step in (started, resumed):
        listen(step.then, events.on_watch_started, state, screen, is_model_work=True)
    again = listen(run.run.event("run_failing"), events.on_failing, [*state, drafts], screen, js=WITH_DRAFTS)
    watched = listen(again.then, events.on_watch_started, state, screen, is_model_work=True)
    results = RunResultEvents(events.services, events.active_runs)
    listen(watched.then, results.on_show, [*state, *run.compared], screen)
    listen(run.bar.event("stop_run"), events.on_stop, state, is_queued=False)


def _wire_improve(parts: SuitesParts, running: RunEvents, play: PlayParts) -> None:
    run, improve, state = parts.run, parts.improve, [play.state]
    results = RunResultEvents(running.services, running.active_runs)
    events = ImproveEvents(running.services, running, results, read_request)
    drafts = TextField(visible=False, elem_id="suites-improve-drafts")
    fields = [*state, drafts, improve.mode, improve.reflect, *improve.budgets, *parts.grid.fields]
    started = listen(improve.start.click, events.on_improve, fields, run.screen, js=WITH_DRAFTS)
    listen(started.then, running.on_watch_started, state, run.screen, is_model_work=True)
    listen(run.run.event("compare_candidates"), events.on_compare, state, run.screen, is_latest_only=True)
    listen(run.run.event("take_candidate"), events.on_take, state, [run.notice])


def _wire_looks(parts: SuitesParts, events: RunResultEvents, running: RunEvents, play: PlayParts) -> None:
    run, state = parts.run, [play.state]
    result: list[Block] = [run.case_runs, run.notice]
    chosen = any_of(*(part.input for part in (run.shown, run.baseline, run.baseline_arm, run.arm)))
    seen = listen(chosen, events.on_show, [*state, *run.compared], run.screen, is_latest_only=True)
    listen(seen.then, running.on_watch_shown, [*state, run.shown], run.screen, is_model_work=True)
    listen(run.run.event("open_case"), events.on_case, state, result, is_latest_only=True)
    listen(run.run.event("label_failing"), events.on_label_failing, state, [run.notice])
    compared = [*state, *run.compared]
    listen(run.comparison.event("open_pair"), events.on_pair, compared, result, is_latest_only=True)
    listen(run.case_runs.event("label_case"), events.on_label, state, [run.notice])
    listen(run.run.event("keep_passed"), events.on_keep, state, [run.notice])
    conversation = play.conversation
    for made in (conversation.transcript.event("make_case"), conversation.message_pane.event("save_case")):
        listen(made, events.on_make_case, state, [conversation.notice, conversation.message_pane])


def _wire_list(parts: SuitesParts, events: RunListEvents, play: PlayParts) -> None:
    run, state = parts.run, [play.state]
    listen(run.run.event("change_run"), events.on_change_run, state, run.screen)
    listen(
        run.run.event("download_report"),
        events.on_download_report,
        [*state, *run.compared],
        [play.sessions.download, run.notice],
    )


def _wire_editor(parts: SuitesParts, events: SuiteEditEvents, state: list[Block], download: Drawn) -> None:
    edit, texts = parts.edit, events.texts
    edited = [*state, edit.name, edit.text]
    opened = [edit.texts, edit.name, edit.editors, edit.notice, edit.diff]
    listen(parts.edit_room.select, texts.on_tab, [*state, edit.name], [edit.texts])
    listen(edit.texts.event("open_text"), events.on_open, state, opened, is_latest_only=True)
    changed = any_of(edit.text.change, edit.name.change)
    listen(changed, events.on_text, edited, [edit.versions, edit.checked], js=EDITED, is_latest_only=True)
    line, result = edit.versions, [edit.texts, edit.versions, edit.notice, edit.editors]
    listen(line.event("save_version"), texts.on_save, edited, result, js=EDITED)
    listen(line.event("mark_version"), texts.on_mark, edited, result, js=EDITED)
    listen(line.event("restore_version"), texts.on_restore, edited, [edit.diff, *result], js=EDITED)
    for compared in (line, edit.diff):
        listen(
            compared.event("compare_version"), texts.on_compare, edited, [edit.diff, edit.notice], js=EDITED
        )
    names = TextNameEvents(events.services, texts.kind, texts)
    listen(line.event("change_name"), names.on_change, edited, [*opened, line], js=EDITED)
    listen(line.event("download_version"), names.on_download, state, [download, edit.notice])
    listen(edit.rows.upload, events.on_rows, [*edited, edit.rows], [edit.editors, edit.notice], js=EDITED)
    listen(edit.use.click, events.on_use, edited, [parts.grid.suites, parts.rooms, edit.notice], js=EDITED)
