"""The Label tab."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import gradio as gr

from workbench.app.editing import corrections_of
from workbench.app.labelling import LabellingRole, LabellingView, next_session_id, open_for_labelling
from workbench.app.regenerate import regenerate_message
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.labels.agreement import agreement_of
from workbench.records.labels.label import NewLabel
from workbench.records.labels.project import QueueFilter, QueueItem, QueuePage, QueueState
from workbench.records.owner import Permission
from workbench.settings import Secret
from workbench.ui.components.drawn import Drawn
from workbench.ui.incoming.fields import json_text_of
from workbench.ui.listen import Trigger, listen
from workbench.ui.owners import needs, services_of
from workbench.ui.present.label.commands import LabelAction, LabelCommand, read_content, read_order
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
    """Where what a model writes anew can be stopped."""

    @needs(Permission.WORK)
    def on_page(self, visitor: Visitor, request: gr.Request) -> tuple[Update, LabelTabView | Update]:
        """The page, opened at a session that is to be labelled where the address bar names one."""
        asked = cast(Mapping[str, str], cast(Any, request).query_params)
        if not asked.get("label"):
            return SAME, SAME
        return gr.update(selected="label"), self.on_open(visitor, request)

    @needs(Permission.WORK)
    def on_open(self, visitor: Visitor, request: gr.Request) -> LabelTabView:
        """The tab is opened: the script is told who labels, and then asks for what its browser had open."""
        owner = services_of(self.services, visitor, request).owner
        return show_desk(LabellingRole(labeller=owner.name), (), NO_QUEUE, None)

    @needs(Permission.WORK)
    def on_open_from_play(self, visitor: Visitor, request: gr.Request) -> tuple[Update, LabelTabView]:
        """A message's menu in Play: the tab comes up, and its script knows which session was asked for."""
        return gr.update(selected="label"), self.on_open(visitor, request)

    @needs(Permission.WORK)
    def on_order(self, visitor: Visitor, request: gr.Request, event: gr.EventData) -> LabelTabView | Update:
        """An order of the script."""
        services = services_of(self.services, visitor, request)
        try:
            order = read_order(json_text_of(event, "order"))
        except BadInput:
            return SAME
        try:
            order = _carried_out(services, order)
        except WorkbenchError as error:
            return _answer(services, order, problem(error))
        return _answer(services, order)

    @needs(Permission.ASK)
    def on_again(
        self, visitor: Visitor, request: gr.Request, event: gr.EventData, signed_in: gr.OAuthToken | None
    ) -> Iterator[LabelTabView | Update]:
        """A message is written anew; `signed_in` is a visitor's own token, on a Space where they have signed in."""
        services, tab = services_of(self.services, visitor, request), tab_of(request)
        try:
            order = read_order(json_text_of(event, "order"))
        except BadInput:
            yield SAME
            return
        if not self.runs.begin(tab):
            yield _answer(services, order)
            return
        notice = CLEAR
        try:
            bench = _bench(services, order)
            stop, token = self.runs.stop_of(tab), Secret(signed_in.token) if signed_in else None
            for _ in regenerate_message(
                services,
                bench,
                order.message,
                corrections_of(bench.labels, order.seat.labeller),
                is_cancelled=stop.is_set,
                token=token,
            ):
                pass
        except WorkbenchError as error:
            notice = problem(error)
        finally:
            self.runs.end(tab)
        yield _answer(services, order, notice)


def _carried_out(services: Services, order: LabelCommand) -> LabelCommand:
    """Does what was ordered; the order that says what is to be shown then.

    Raises:
        WorkbenchError: It cannot be done.
    """
    match order.act:
        case LabelAction.LABEL:
            new = NewLabel(
                target=order.target,
                content=read_content(order.said, _bench(services, order).tools),
                labeller=order.seat.labeller,
                project=order.seat.project,
                is_deciding=order.seat.is_deciding,
                base_revision=order.revision,
            )
            services.labels.save(new)
        case LabelAction.ACCEPT:
            services.labels.accept(order.session, order.message, who=order.seat.labeller)
        case LabelAction.SUBMIT | LabelAction.REJECT:
            _move(
                services, order, QueueState.DONE if order.act is LabelAction.SUBMIT else QueueState.DISCARDED
            )
            items = _listed(services, order)
            found = next_session_id(services, order.seat, _wanted(services, order), items, order.session)
            return replace(order, session=found or order.session)
        case LabelAction.REOPEN:
            _move(services, order, QueueState.DRAFT)
        case LabelAction.SHOW | LabelAction.REGENERATE:
            pass
    return order


def _move(services: Services, order: LabelCommand, state: QueueState) -> None:
    seat = order.seat
    services.labels.move(
        order.session, state, project=seat.project, assignee=seat.labeller, who=seat.labeller
    )


def _answer(services: Services, order: LabelCommand, notice: NoticeView = CLEAR) -> LabelTabView:
    """The desk as it is now."""
    try:
        page = services.labels.queue(_wanted(services, order), project=order.seat.project, limit=order.listed)
        session_id = order.session or next(iter(item.session_id for item in page.items), "")
        bench = open_for_labelling(services, session_id, order.seat) if session_id else None
        projects, facts = services.labels.list_projects(), _facts(services, order, page)
    except WorkbenchError as error:
        return show_desk(order.seat, (), NO_QUEUE, None, serial=order.serial, notice=problem(error))
    return show_desk(order.seat, projects, facts, bench, serial=order.serial, notice=notice)


def _facts(services: Services, order: LabelCommand, page: QueuePage) -> QueueFacts:
    """How far the project is; agreement is worked out where the order is not about a single label."""
    project, labels = order.seat.project, services.labels
    counts = {
        state: labels.queue(QueueFilter(state=state), project=project, limit=1).total for state in QueueState
    }
    is_of_label = order.act in (LabelAction.LABEL, LabelAction.ACCEPT)
    return QueueFacts(
        items=page.items,
        total=page.total,
        done_count=counts[QueueState.DONE],
        all_count=sum(counts.values()) - counts[QueueState.DISCARDED],
        agreement=None if is_of_label else agreement_of(labels.judgements(project=project)),
    )


def _listed(services: Services, order: LabelCommand) -> Sequence[QueueItem]:
    wanted = _wanted(services, order)
    return services.labels.queue(wanted, project=order.seat.project, limit=order.listed).items


def _wanted(services: Services, order: LabelCommand) -> QueueFilter:
    """The filter, the name of a contract read as the hash of its version."""
    reference = order.wanted.contract_version
    if reference is None:
        return order.wanted
    try:
        return replace(order.wanted, contract_version=services.contract_version(reference).text_hash)
    except BadInput:
        return order.wanted


def _bench(services: Services, order: LabelCommand) -> LabellingView:
    bench = open_for_labelling(services, order.session, order.seat)
    if bench is None:
        raise BadInput(f"session {order.session!r}", "there is no such session", "choose one from the queue")
    return bench


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelParts:
    """All parts of the tab."""

    desk: Drawn


def build() -> LabelParts:
    """Builds the tab; it is filled when it is opened."""
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
    """Lets the desk answer.

    Args:
        runs: Where messages that are written anew can be stopped.
        blocks: The page; it opens at this tab where the address bar says so.
        tab: The tab itself; opening it asks for the queue.
        open_label: Of Play: a session is to be labelled.
    """
    events, desk = LabelEvents(services, runs), parts.desk
    listen(blocks.load, events.on_page, [visitor], [tabs, desk])
    listen(tab.select, events.on_open, [visitor], [desk])
    listen(open_label, events.on_open_from_play, [visitor], [tabs, desk])
    listen(desk.event("label_order"), events.on_order, [visitor], [desk])
    listen(desk.event("label_again"), events.on_again, [visitor], [desk], is_model_work=True)
    listen(desk.event("label_stop"), StopEvents(events.runs).on_stop, is_queued=False)
