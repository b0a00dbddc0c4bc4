"""Run, stop, show and vote on comparisons."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.comparisons.events import CompareEvent
from workbench.app.comparisons.opened import find_comparison
from workbench.app.comparisons.planning import compare_question, compare_turns
from workbench.app.comparisons.running import start_comparison
from workbench.app.runs.drafts import Drafts, left_out_note, read_drafts
from workbench.app.services import Services
from workbench.app.tasks import RunningTask
from workbench.errors import WorkbenchError
from workbench.records.comparisons import (
    MAX_COLUMNS,
    ListedComparison,
    StoredComparison,
    Vote,
    VoteKind,
)
from workbench.records.owner import Permission
from workbench.settings import Secret
from workbench.ui.gradio_parts.update import Update
from workbench.ui.incoming.fields import number_of, optional_number_of, word_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.compare.board import LiveColumns, ReadComparison, show_board, show_live
from workbench.ui.present.compare.form import CompareForm, read_form, requested_columns
from workbench.ui.present.empty_places import EMPTY_PLACES
from workbench.ui.present.notices import CLEAR, advice, problem
from workbench.ui.shown_errors import shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.compare.parts import CompareScreen, column_contracts
from workbench.ui.tabs.compare.watching import read_comparison, watch
from workbench.ui.tabs.tab_work import TabWork, tab_of

LISTED = 100
"""The most previous comparisons in the list."""


@dataclass(frozen=True, slots=True)
class CompareEvents:
    """Handlers of the tab."""

    services: Services
    work: TabWork
    """What each tab is busy with."""

    @needs(Permission.WORK)
    def on_open(self, state: TabState, drafts: str, request: gr.Request) -> tuple[Update, ...]:
        """Refresh the choices: contracts and models of each column, and previous comparisons."""
        services = services_of(self.services, state, request)
        contracts = gr.update(choices=column_contracts(services, read_drafts(drafts)))
        models = gr.update(choices=list(services.models.names()))
        return *([contracts] * MAX_COLUMNS), *([models] * MAX_COLUMNS), previous_choices(services)

    @needs(Permission.WORK)
    def on_count(self, count: int) -> list[Update]:
        """Show the chosen number of columns."""
        return [gr.update(visible=place < count) for place in range(MAX_COLUMNS)]

    @needs(Permission.WORK)
    def on_example(self) -> tuple[str, list[str]]:
        """Fill in the example question with its tools."""
        return EMPTY_PLACES["compare"].example, ["weather"]

    @needs(Permission.ASK)
    def on_run(
        self,
        state: TabState,
        drafts: str,
        contract_name: str,
        contract_text: str,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
        *values: object,
    ) -> Iterator[CompareScreen]:
        """Run a new comparison and show its progress.

        `signed_in` is the visitor's access token for hosted models.
        """
        services = services_of(self.services, state, request)
        try:
            form, known = read_form(values), read_drafts(drafts)
            stored = _create(services, form, known, contract_name, contract_text)
        except WorkbenchError as error:
            yield CompareScreen(notice=problem(error))
            return
        note = left_out_note([column.contract for column in form.columns[: form.count]], known).removeprefix(
            " · "
        )
        for screen in self._run(services, stored, request, signed_in):
            yield screen._replace(notice=advice(note)) if note and screen.notice == CLEAR else screen

    @needs(Permission.ASK)
    def on_go_on(
        self,
        state: TabState,
        board: dict[str, str] | None,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
    ) -> Iterator[CompareScreen]:
        """Generate the missing answers of the shown comparison."""
        services = services_of(self.services, state, request)
        try:
            stored = find_comparison(services, _shown_id(board))
        except WorkbenchError as error:
            yield CompareScreen(notice=problem(error))
            return
        yield from self._run(services, stored, request, signed_in)

    @needs(Permission.WORK)
    def on_show(self, state: TabState, comparison_id: str | None, request: gr.Request) -> CompareScreen:
        """Show a previous comparison."""
        if not comparison_id:
            return CompareScreen()
        self.work.stop_watching(tab_of(request), "comparison")
        return self._shown(services_of(self.services, state, request), comparison_id)

    @needs(Permission.WORK)
    def on_watch(
        self, state: TabState, board: dict[str, str] | None, request: gr.Request
    ) -> Iterator[CompareScreen]:
        """Show the progress of the comparison on the board, if it is running."""
        services = services_of(self.services, state, request)
        task = services.running_comparisons.running(services.owner.key, _shown_id(board))
        if task is None:
            # A generator that yields nothing would empty every component.
            yield CompareScreen()
            return
        try:
            read = read_comparison(services, find_comparison(services, task.subject))
        except WorkbenchError as error:
            yield CompareScreen(notice=problem(error))
            return
        yield from self._watch(services, read, task, request)

    @needs(Permission.WORK)
    def on_stop(self, state: TabState, board: dict[str, str] | None, request: gr.Request) -> None:
        """Stop the comparison on the board. Finished answers are saved."""
        services = services_of(self.services, state, request)
        task = services.running_comparisons.running(services.owner.key, _shown_id(board))
        if task is not None:
            task.stop.set()

    @needs(Permission.WORK)
    @shows_error(CompareScreen)
    def on_vote(
        self, state: TabState, board: dict[str, str] | None, request: gr.Request, event: gr.EventData
    ) -> CompareScreen:
        """Save a vote: one answer is better, or none is."""
        services, shown = services_of(self.services, state, request), _shown_id(board)
        vote = Vote(
            turn=number_of(event, "turn"),
            kind=word_of(event, "kind", VoteKind),
            column=optional_number_of(event, "column"),
        )
        services.comparisons.save_vote(shown, vote)
        return self._voted(services, shown)

    @needs(Permission.WORK)
    @shows_error(CompareScreen)
    def on_unvote(
        self, state: TabState, board: dict[str, str] | None, request: gr.Request, event: gr.EventData
    ) -> CompareScreen:
        """Remove a vote."""
        services, shown = services_of(self.services, state, request), _shown_id(board)
        services.comparisons.forget_vote(shown, number_of(event, "turn"))
        return self._voted(services, shown)

    def _shown(self, services: Services, comparison_id: str) -> CompareScreen:
        try:
            read = read_comparison(services, find_comparison(services, comparison_id))
        except WorkbenchError as error:
            return CompareScreen(notice=problem(error))
        return shown(services, read)

    def _voted(self, services: Services, comparison_id: str) -> CompareScreen:
        screen = self._shown(services, comparison_id)
        return CompareScreen(board=screen.board, notice=screen.notice)

    def _run(
        self,
        services: Services,
        stored: StoredComparison,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
    ) -> Iterator[CompareScreen]:
        """Start to generate the missing answers, and show the progress."""
        try:
            read = read_comparison(services, stored)
            task = start_comparison(services, stored, token=Secret(signed_in.token) if signed_in else None)
        except WorkbenchError as error:
            yield CompareScreen(notice=problem(error))
            return
        yield CompareScreen(notice=CLEAR)
        yield from self._watch(services, read, task, request)

    def _watch(
        self,
        services: Services,
        read: ReadComparison,
        task: RunningTask[CompareEvent],
        request: gr.Request,
    ) -> Iterator[CompareScreen]:
        """Show the progress of a comparison until it ends, or until the tab shows another one."""
        comparison = read.stored.comparison
        last = CompareScreen(live=LiveColumns()).with_run(is_running=False)
        with self.work.watching(tab_of(request), "comparison") as gone, task.watched(gone) as batches:
            live = show_live(
                {},
                column_count=len(comparison.columns),
                turn_count=len(comparison.turns),
                done=len(read.stored.answers),
                now_s=0.0,
            )
            board = show_board(read, is_running=True)
            yield CompareScreen(board=board, live=live).with_run(is_running=True)
            try:
                for snapshot in watch(services, read, batches):
                    if gone.is_set():
                        return
                    screen = CompareScreen(live=snapshot.live)
                    yield screen._replace(board=snapshot.board) if snapshot.board else screen
            except WorkbenchError as error:
                last = last._replace(notice=problem(error))
            if gone.is_set():
                return
        yield _settled(services, read.stored.id, last)


def shown(services: Services, read: ReadComparison) -> CompareScreen:
    """Return the screen with a comparison. If it is running, the page starts to watch it."""
    task = services.running_comparisons.running(services.owner.key, read.stored.id)
    live = LiveColumns(follow=task.id) if task else LiveColumns()
    screen = CompareScreen(board=show_board(read, is_running=task is not None), live=live, notice=CLEAR)
    return screen.with_run(is_running=task is not None)


def previous_choices(services: Services) -> Update:
    """Return the choices of previous comparisons."""
    comparisons = services.comparisons.list_comparisons(limit=LISTED)
    return gr.update(choices=[(_label(listed), listed.id) for listed in comparisons])


def _label(listed: ListedComparison) -> str:
    turns = f", {listed.turn_count} turns" if listed.turn_count > 1 else ""
    return f"{listed.created_at:%Y-%m-%d %H:%M} · {listed.title} · {listed.column_count} columns{turns}"


def _create(
    services: Services, form: CompareForm, drafts: Drafts, contract_name: str, contract_text: str
) -> StoredComparison:
    turns, columns = form.turns, requested_columns(form, drafts)
    if turns is not None:
        return compare_turns(services, turns, columns)
    base = replace(services.setup_for(), contract_name=contract_name, contract_text=contract_text)
    return compare_question(services, form.question, form.tools, base, columns)


def _settled(services: Services, comparison_id: str, last: CompareScreen) -> CompareScreen:
    """Show the final board from the store, and the list with the new comparison."""
    try:
        read = read_comparison(services, find_comparison(services, comparison_id))
        previous = {**previous_choices(services), "value": comparison_id}
        return last._replace(board=show_board(read), previous=previous)
    except WorkbenchError as error:
        return last._replace(notice=problem(error))


def _shown_id(board: dict[str, str] | None) -> str:
    """Return the id of the comparison on the board."""
    return str((board or {}).get("id") or "")
