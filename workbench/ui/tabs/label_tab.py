"""The Label tab."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import gradio as gr

from workbench.app.editing import corrections_of
from workbench.app.labelling import LabellingRole, LabellingView, open_for_labelling
from workbench.app.regenerate import regenerate_message
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.labels.agreement import agreement_of
from workbench.records.labels.label import NewLabel
from workbench.records.labels.project import QueueFilter, QueuePage, QueueState
from workbench.records.owner import Permission
from workbench.settings import Secret
from workbench.ui.components.drawn import Drawn
from workbench.ui.incoming.fields import json_text_of
from workbench.ui.listen import Trigger, after_loading, listen
from workbench.ui.owners import needs, services_of
from workbench.ui.present.label.commands import LabelAction, LabelCommand, parse_command, parse_content
from workbench.ui.present.label.label_tab import NO_QUEUE, LabelTabView, QueueFacts, show_desk
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.tabs.play.runs import Runs, StopEvents, tab_of
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.visitor import Visitor


@dataclass(frozen=True, slots=True)
class LabelEvents:
    """Handlers of the tab."""

    services: Services
    runs: Runs
    """Running turns, where a regeneration can be stopped."""

    @needs(Permission.WORK)
    def on_page(self, visitor: Visitor, request: gr.Request) -> tuple[Update, LabelTabView | Update]:
        """Open the Label tab if the address names a session to label."""
        query = cast(Mapping[str, str], cast(Any, request).query_params)
        if not query.get("label"):
            return SAME, SAME
        return gr.update(selected="label"), self.on_open(visitor, request)

    @needs(Permission.WORK)
    def on_open(self, visitor: Visitor, request: gr.Request) -> LabelTabView:
        """Send the labeller's name to the script, which then asks for the session that its browser had open."""
        owner = services_of(self.services, visitor, request).owner
        return show_desk(LabellingRole(labeller=owner.name), (), NO_QUEUE, None)

    @needs(Permission.WORK)
    def on_open_from_play(self, visitor: Visitor, request: gr.Request) -> tuple[Update, LabelTabView]:
        """Open the tab from a message's menu in Play. The script knows the requested session."""
        return gr.update(selected="label"), self.on_open(visitor, request)

    @needs(Permission.WORK)
    def on_order(self, visitor: Visitor, request: gr.Request, event: gr.EventData) -> LabelTabView | Update:
        """Carry out a command of the script, and show the result."""
        services = services_of(self.services, visitor, request)
        try:
            command = parse_command(json_text_of(event, "order"))
        except BadInput:
            return SAME
        try:
            command = _carry_out(services, command)
        except WorkbenchError as error:
            return _answer(services, command, problem(error))
        return _answer(services, command)

    @needs(Permission.ASK)
    def on_again(
        self, visitor: Visitor, request: gr.Request, event: gr.EventData, signed_in: gr.OAuthToken | None
    ) -> Iterator[LabelTabView | Update]:
        """Regenerate a message.

        `signed_in` is the access token of a visitor who signed in on a Space.
        """
        services, tab = services_of(self.services, visitor, request), tab_of(request)
        try:
            command = parse_command(json_text_of(event, "order"))
        except BadInput:
            yield SAME
            return
        if not self.runs.begin(tab):
            yield _answer(services, command)
            return
        notice = CLEAR
        try:
            bench = _bench(services, command)
            stop, token = self.runs.stop_of(tab), Secret(signed_in.token) if signed_in else None
            for _ in regenerate_message(
                services,
                bench,
                command.message,
                corrections_of(bench.labels, command.seat.labeller),
                is_cancelled=stop.is_set,
                token=token,
            ):
                pass
        except WorkbenchError as error:
            notice = problem(error)
        finally:
            self.runs.end(tab)
        yield _answer(services, command, notice)


def _carry_out(services: Services, command: LabelCommand) -> LabelCommand:
    """Carry out a command; return the command with the session to show next.

    Raises:
        WorkbenchError: The command cannot be carried out.
    """
    match command.act:
        case LabelAction.LABEL:
            new = NewLabel(
                target=command.target,
                content=parse_content(command.label, _bench(services, command).tools),
                labeller=command.seat.labeller,
                project=command.seat.project,
                is_deciding=command.seat.is_deciding,
                base_revision=command.revision,
            )
            services.labels.save(new)
        case LabelAction.ACCEPT:
            services.labels.accept(command.session, command.message, who=command.seat.labeller)
        case LabelAction.SUBMIT | LabelAction.REJECT:
            _move(
                services,
                command,
                QueueState.DONE if command.act is LabelAction.SUBMIT else QueueState.DISCARDED,
            )
            found = services.labels.next_open(
                _queue_filter(services, command), project=command.seat.project, after=command.session
            )
            return replace(command, session=found or command.session)
        case LabelAction.REOPEN:
            _move(services, command, QueueState.DRAFT)
        case LabelAction.SHOW | LabelAction.REGENERATE:
            pass
    return command


def _move(services: Services, command: LabelCommand, state: QueueState) -> None:
    seat = command.seat
    services.labels.move(
        command.session, state, project=seat.project, assignee=seat.labeller, who=seat.labeller
    )


def _answer(services: Services, command: LabelCommand, notice: NoticeView = CLEAR) -> LabelTabView:
    """Return the current state of the tab."""
    try:
        page = services.labels.queue(
            _queue_filter(services, command), project=command.seat.project, limit=command.listed
        )
        session_id = command.session or next(iter(item.session_id for item in page.items), "")
        bench = open_for_labelling(services, session_id, command.seat) if session_id else None
        projects, facts = services.labels.list_projects(), _facts(services, command, page)
    except WorkbenchError as error:
        return show_desk(command.seat, (), NO_QUEUE, None, serial=command.serial, notice=problem(error))
    return show_desk(command.seat, projects, facts, bench, serial=command.serial, notice=notice)


def _facts(services: Services, command: LabelCommand, page: QueuePage) -> QueueFacts:
    """Return the project's progress. Agreement is not recomputed for a single label."""
    project, labels = command.seat.project, services.labels
    counts = {
        state: labels.queue(QueueFilter(state=state), project=project, limit=1).total for state in QueueState
    }
    is_of_label = command.act in (LabelAction.LABEL, LabelAction.ACCEPT)
    return QueueFacts(
        items=page.items,
        total=page.total,
        done_count=counts[QueueState.DONE],
        all_count=sum(counts.values()) - counts[QueueState.DISCARDED],
        agreement=None if is_of_label else agreement_of(labels.judgements(project=project)),
    )


def _queue_filter(services: Services, command: LabelCommand) -> QueueFilter:
    """Return the queue filter, with a contract name replaced by the hash of its version."""
    reference = command.filter.contract_version
    if reference is None:
        return command.filter
    try:
        return replace(command.filter, contract_version=services.contract_version(reference).text_hash)
    except BadInput:
        return command.filter


def _bench(services: Services, command: LabelCommand) -> LabellingView:
    bench = open_for_labelling(services, command.session, command.seat)
    if bench is None:
        raise BadInput(
            f"session {command.session!r}", "there is no such session", "choose one from the queue"
        )
    return bench


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelParts:
    """All components of the tab."""

    desk: Drawn


def build() -> LabelParts:
    """Build the tab. Opening it fills it."""
    return LabelParts(desk=Drawn("label_desk", elem_id="label-desk"))


def wire(
    parts: LabelParts,
    services: Services,
    runs: Runs,
    visitor: gr.State,
    *,
    blocks: gr.Blocks,
    tabs: gr.Tabs,
    tab: gr.Tab,
    open_label: Trigger,
) -> None:
    """Connect the tab with its handlers.

    Args:
        runs: Running turns, where a regeneration can be stopped.
        blocks: The page, which opens at this tab if the address names a session to label.
        tab: The tab itself; opening it loads the queue.
        open_label: Event of the Play tab: a session should be labelled.
    """
    events, desk = LabelEvents(services, runs), parts.desk
    listen(blocks.load, events.on_page, [visitor], [tabs, desk])
    listen(tab.select, events.on_open, [visitor], [desk])
    listen(open_label, events.on_open_from_play, [visitor], [tabs, desk], js=after_loading("label"))
    listen(desk.event("label_order"), events.on_order, [visitor], [desk])
    listen(desk.event("label_again"), events.on_again, [visitor], [desk], is_model_work=True)
    listen(desk.event("label_stop"), StopEvents(events.runs).on_stop, is_queued=False)
