"""Run the message over rows of variables: check, start, follow, stop, save as a suite, download."""

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum
from time import sleep
from typing import Final

import gradio as gr

from workbench.app.runs.drafts import with_pinned_contract
from workbench.app.runs.rows import (
    is_row_run,
    prepare_rows,
    row_results,
    rows_as_csv,
    rows_as_jsonl,
    save_rows,
)
from workbench.app.runs.running import begin_run, find_run
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.runs import StoredRun
from workbench.settings import Secret
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, number_of, text_of, word_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import page_text
from workbench.ui.present.row_run import RowCheckView, RowRunView, RowWindowView, show_check, show_row_run
from workbench.ui.present.sessions import DownloadView
from workbench.ui.present.setup import parse_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.active_runs import ActiveRuns
from workbench.ui.tabs.play.tab import PlayParts

UPDATE_S: Final = 0.5
"""The shortest time between two updates of the table, in seconds."""
ELSEWHERE_S: Final = 1.0
"""The time between two updates of the table of a run in another process, in seconds."""
UPDATE_SHARE: Final = 0.1
"""The largest share of the time that is spent on preparing updates."""


class RowAction(StrEnum):
    """What to do with the rows in the form, or with a run over rows."""

    CHECK = "check"
    SAVE = "save"
    """Save the rows in the form as a suite."""
    STOP = "stop"
    CSV = "csv"
    """Download the run as CSV."""
    JSONL = "jsonl"
    """Download the run as JSON lines."""


@dataclass(frozen=True, slots=True)
class RowEvents:
    """Handlers of the window for runs over rows."""

    services: Services
    active_runs: ActiveRuns

    @needs(Permission.WORK)
    def on_act(
        self, state: TabState, request: gr.Request, event: gr.EventData, *fields: object
    ) -> tuple[RowWindowView, DownloadView | Update]:
        """Run one of the actions of `RowAction`."""
        services = services_of(self.services, state, request)
        action, serial = word_of(event, "action", RowAction), services.calendar.seconds()
        try:
            if action is RowAction.CHECK:
                return RowWindowView(check=self._check(services, event, fields), serial=serial), SAME
            if action is RowAction.SAVE:
                return self._saved(services, event, fields), SAME
            if action is RowAction.STOP:
                self.active_runs.stop(services.owner, id_of(event))
                return RowWindowView(serial=serial), SAME
            return RowWindowView(serial=serial), self._download(services, action, id_of(event))
        except WorkbenchError as error:
            return RowWindowView(message=page_text(error), is_problem=True, serial=serial), SAME

    @needs(Permission.ASK)
    def on_run(
        self,
        state: TabState,
        request: gr.Request,
        event: gr.EventData,
        signed_in: gr.OAuthToken | None,
        *fields: object,
    ) -> Generator[RowWindowView]:
        """Start a run, continue one, or only follow it; and show it until it ends."""
        services = services_of(self.services, state, request)
        token = Secret(signed_in.token) if signed_in else None
        try:
            mode = word_of(event, "mode", _Mode)
            if mode is not _Mode.WATCH and self.active_runs.is_busy(services.owner):
                raise _another_run()
            if mode is _Mode.START:
                setup = with_pinned_contract(services, parse_setup(fields))
                prepared = prepare_rows(services, setup, text_of(event, "message"), text_of(event, "rows"))
                stored = begin_run(services, prepared.plan)
            else:
                stored = _row_run(services, id_of(event))
            if mode is not _Mode.WATCH and not self.active_runs.begin(services, stored, token):
                raise _another_run()
            yield from self._watch(services, stored)
        except WorkbenchError as error:
            yield RowWindowView(message=page_text(error), is_problem=True, serial=services.calendar.seconds())

    def _watch(self, services: Services, stored: StoredRun) -> Generator[RowWindowView]:
        """Show a run until it ends, or once if it is not in progress."""
        run = self.active_runs.last(services.owner)
        if run is None or run.id != stored.id:
            while self.active_runs.is_under_way(services.owner, stored):
                yield self._look(services, stored.id, is_running=True)
                sleep(ELSEWHERE_S)
                stored = _row_run(services, stored.id)
            yield self._look(services, stored.id, is_running=False)
            return
        pause_s, is_over = UPDATE_S, run.over.is_set()
        with run.watched() as gone:
            yield self._look(services, stored.id, is_running=not is_over)
            while not is_over and not gone.is_set():
                is_over = run.over.wait(pause_s)
                started_s = services.calendar.seconds()
                yield self._look(services, stored.id, is_running=not is_over)
                pause_s = max(UPDATE_S, (services.calendar.seconds() - started_s) / UPDATE_SHARE)
        if run.error is not None:
            raise run.error

    def _look(self, services: Services, run_id: str, *, is_running: bool) -> RowWindowView:
        return RowWindowView(
            run=_view(services, run_id, is_running=is_running), serial=services.calendar.seconds()
        )

    def _check(self, services: Services, event: gr.EventData, fields: tuple[object, ...]) -> RowCheckView:
        message, rows = text_of(event, "message"), text_of(event, "rows")
        number = number_of(event, "number")
        if not rows.strip():
            return RowCheckView(number=number)
        try:
            setup = with_pinned_contract(services, parse_setup(fields))
            return show_check(prepare_rows(services, setup, message, rows), number=number)
        except WorkbenchError as error:
            return RowCheckView(problem=page_text(error), number=number)

    def _saved(self, services: Services, event: gr.EventData, fields: tuple[object, ...]) -> RowWindowView:
        setup, message, rows = parse_setup(fields), text_of(event, "message"), text_of(event, "rows")
        saved = save_rows(services, setup, message, rows, name=id_of(event, "name").strip())
        return RowWindowView(
            message=f"Saved the suite {saved.name!r}. Add expectations to its cases in Suites.",
            serial=services.calendar.seconds(),
        )

    def _download(self, services: Services, action: RowAction, run_id: str) -> DownloadView:
        stored = _row_run(services, run_id)
        rows = row_results(stored.plan.cases, services.runs.results(stored.id))
        text = rows_as_csv(rows) if action is RowAction.CSV else rows_as_jsonl(rows)
        name = f"rows-{stored.id[:12]}.{action.value}"
        return DownloadView(name=name, text=text, serial=services.calendar.seconds())


class _Mode(StrEnum):
    START = "start"
    RESUME = "resume"
    WATCH = "watch"


def wire_rows(parts: PlayParts, services: Services, active_runs: ActiveRuns) -> None:
    """Connect the window for runs over rows with its handlers."""
    events, inputs = RowEvents(services, active_runs), [parts.state, *parts.setup.fields]
    window = parts.setup.rows
    listen(window.event("row_act"), events.on_act, inputs, [window, parts.sessions.download])
    listen(window.event("row_run"), events.on_run, inputs, [window], is_model_work=True)


def _another_run() -> BadInput:
    return BadInput("run", "another run is in progress", "wait for it, or stop it in Suites")


def _row_run(services: Services, run_id: str) -> StoredRun:
    stored = find_run(services, run_id)
    if not is_row_run(stored.plan):
        raise BadInput(f"run {run_id[:12]!r}", "it is not a run over rows", "open it in Suites")
    return stored


def _view(services: Services, run_id: str, *, is_running: bool) -> RowRunView:
    stored = _row_run(services, run_id)
    rows = row_results(stored.plan.cases, services.runs.results(stored.id))
    return show_row_run(stored, rows, is_running=is_running)
