"""Run, stop, show and vote on comparisons."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.comparisons.opened import find_comparison
from workbench.app.comparisons.planning import compare_question, compare_turns
from workbench.app.services import Services
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
from workbench.ui.incoming.fields import number_of, optional_number_of, word_of
from workbench.ui.owners import needs, services_of
from workbench.ui.present.compare.board import LiveColumns, show_board, show_live
from workbench.ui.present.compare.form import CompareForm, read_form, requested_columns
from workbench.ui.present.notices import CLEAR, advice, problem
from workbench.ui.tabs.compare.parts import CompareScreen, contract_choices
from workbench.ui.tabs.compare.watching import read_comparison, watch
from workbench.ui.tabs.play.runs import Runs, tab_of
from workbench.ui.tabs.play.screen import Update
from workbench.ui.visitor import Visitor

LISTED = 100
"""The most previous comparisons in the list."""


@dataclass(frozen=True, slots=True)
class CompareEvents:
    """Handlers of the tab."""

    services: Services
    runs: Runs
    """Running work: comparisons as well as turns."""

    @needs(Permission.WORK)
    def on_open(self, visitor: Visitor, request: gr.Request) -> tuple[Update, ...]:
        """Refresh the choices: contracts and models of each column, and previous comparisons."""
        services = services_of(self.services, visitor, request)
        contracts = gr.update(choices=contract_choices(services))
        models = gr.update(choices=list(services.models.names()))
        return *([contracts] * MAX_COLUMNS), *([models] * MAX_COLUMNS), previous_choices(services)

    @needs(Permission.WORK)
    def on_count(self, count: int) -> list[Update]:
        """Show the chosen number of columns."""
        return [gr.update(visible=place < count) for place in range(MAX_COLUMNS)]

    @needs(Permission.ASK)
    def on_run(
        self,
        visitor: Visitor,
        contract_name: str,
        contract_text: str,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
        *values: object,
    ) -> Iterator[CompareScreen]:
        """Run a new comparison and show its progress.

        `signed_in` is the visitor's access token for hosted models.
        """
        services = services_of(self.services, visitor, request)
        if self.runs.is_running(tab_of(request)):
            yield CompareScreen(notice=advice("A comparison is already running. Wait for it or stop it."))
            return
        try:
            stored = _create(services, read_form(values), contract_name, contract_text)
        except WorkbenchError as error:
            yield CompareScreen(notice=problem(error))
            return
        yield from self._run(services, stored, request, signed_in)

    @needs(Permission.ASK)
    def on_go_on(
        self,
        visitor: Visitor,
        board: dict[str, str] | None,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
    ) -> Iterator[CompareScreen]:
        """Generate the missing answers of the shown comparison."""
        services = services_of(self.services, visitor, request)
        try:
            stored = find_comparison(services, _shown_id(board))
        except WorkbenchError as error:
            yield CompareScreen(notice=problem(error))
            return
        yield from self._run(services, stored, request, signed_in)

    @needs(Permission.WORK)
    def on_show(self, visitor: Visitor, comparison_id: str | None, request: gr.Request) -> CompareScreen:
        """Show a previous comparison."""
        if not comparison_id:
            return CompareScreen()
        return self._shown(services_of(self.services, visitor, request), comparison_id, request)

    @needs(Permission.WORK)
    def on_vote(
        self, visitor: Visitor, board: dict[str, str] | None, request: gr.Request, event: gr.EventData
    ) -> CompareScreen:
        """Save a vote: one answer is better, or none is."""
        services, shown = services_of(self.services, visitor, request), _shown_id(board)
        try:
            vote = Vote(
                turn=number_of(event, "turn"),
                kind=word_of(event, "kind", VoteKind),
                column=optional_number_of(event, "column"),
            )
            services.comparisons.save_vote(shown, vote)
        except WorkbenchError as error:
            return CompareScreen(notice=problem(error))
        return self._shown(services, shown, request)

    @needs(Permission.WORK)
    def on_unvote(
        self, visitor: Visitor, board: dict[str, str] | None, request: gr.Request, event: gr.EventData
    ) -> CompareScreen:
        """Remove a vote."""
        services, shown = services_of(self.services, visitor, request), _shown_id(board)
        try:
            services.comparisons.forget_vote(shown, number_of(event, "turn"))
        except WorkbenchError as error:
            return CompareScreen(notice=problem(error))
        return self._shown(services, shown, request)

    def _shown(self, services: Services, comparison_id: str, request: gr.Request) -> CompareScreen:
        try:
            read = read_comparison(services, find_comparison(services, comparison_id))
        except WorkbenchError as error:
            return CompareScreen(notice=problem(error))
        is_running = self.runs.is_running(tab_of(request))
        return CompareScreen(board=show_board(read, is_running=is_running), notice=CLEAR)

    def _run(
        self,
        services: Services,
        stored: StoredComparison,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
    ) -> Iterator[CompareScreen]:
        tab = tab_of(request)
        if not self.runs.begin(tab):
            yield CompareScreen(notice=advice("A comparison is already running. Wait for it or stop it."))
            return
        stop, token = self.runs.stop_of(tab), Secret(signed_in.token) if signed_in else None
        last = CompareScreen(live=LiveColumns(), notice=CLEAR).with_run(is_running=False)
        try:
            read = read_comparison(services, stored)
            comparison = stored.comparison
            live = show_live(
                {},
                column_count=len(comparison.columns),
                turn_count=len(comparison.turns),
                done=len(stored.answers),
                now_s=0.0,
            )
            board = show_board(read, is_running=True)
            yield CompareScreen(board=board, live=live, notice=CLEAR).with_run(is_running=True)
            for snapshot in watch(services, read, is_cancelled=stop.is_set, token=token):
                screen = CompareScreen(live=snapshot.live)
                yield screen._replace(board=snapshot.board) if snapshot.board else screen
        except WorkbenchError as error:
            last = last._replace(notice=problem(error))
        finally:
            # This generator is closed when the browser leaves; the columns must stop then.
            self.runs.end(tab)
        yield _settled(services, stored.id, last)


def previous_choices(services: Services) -> Update:
    """Return the choices of previous comparisons."""
    comparisons = services.comparisons.list_comparisons(limit=LISTED)
    return gr.update(choices=[(_label(listed), listed.id) for listed in comparisons])


def _label(listed: ListedComparison) -> str:
    turns = f", {listed.turn_count} turns" if listed.turn_count > 1 else ""
    return f"{listed.created_at:%Y-%m-%d %H:%M} · {listed.title} · {listed.column_count} columns{turns}"


def _create(
    services: Services, form: CompareForm, contract_name: str, contract_text: str
) -> StoredComparison:
    turns, columns = form.turns, requested_columns(form)
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
