"""The Label tab."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import gradio as gr

from workbench.app.editing import corrections_of
from workbench.app.services import Services
from workbench.app.turns import start_regeneration
from workbench.chat.json_value import as_object
from workbench.errors import BadInput, StoreError, WorkbenchError
from workbench.label.app.actions import accept_changes, apply_action, opened_for
from workbench.label.app.judge import JudgedRow, judge_rows
from workbench.label.app.labelling import LabellingRole, LabellingView, open_for_labelling
from workbench.label.page.present.commands import (
    ACCEPT,
    ACCEPT_REST,
    PAGE,
    LabelCommand,
    PageAction,
    parse_command,
    read_changes,
    signed_by,
)
from workbench.label.page.present.review import ReviewView, describe_judged, show_review
from workbench.label.page.present.tab import (
    NO_QUEUE,
    ActionAnswer,
    LabelTabView,
    MockAnswer,
    QueueFacts,
    show_desk,
)
from workbench.label.page.projects import manage, queue_filter
from workbench.label.records.action import ActionRefused
from workbench.label.records.agreement import ProjectAgreement, project_agreement
from workbench.label.records.project import ProjectProgress, QueuePage
from workbench.records.label_words import CLOSED_STATES, ActionKind, ProjectRole
from workbench.records.owner import Permission
from workbench.settings import Secret
from workbench.toolspec.spec import OfferedTools
from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import json_text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.call_form import read_form
from workbench.ui.present.notices import CLEAR, NoticeView, page_text, problem
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.tab_work import TabWork, tab_of

AHEAD: Final = 2
"""How many of the next sessions are sent to the page before they are needed."""


@dataclass(frozen=True, slots=True)
class LabelEvents:
    """Handlers of the tab."""

    services: Services
    work: TabWork
    """Running turns, where a regeneration can be stopped."""

    @needs(Permission.WORK)
    def on_open(self, state: TabState, request: gr.Request) -> LabelTabView:
        """Send the annotator's name to the script, which then asks for the session that its browser had open."""
        owner = services_of(self.services, state, request).owner
        return show_desk(LabellingRole(annotator=owner.name), (), NO_QUEUE, None)

    @needs(Permission.WORK)
    def on_order(self, state: TabState, request: gr.Request, event: gr.EventData) -> LabelTabView | Update:
        """Apply the actions of the script's log, and show the requested session."""
        services = services_of(self.services, state, request)
        try:
            command = parse_command(json_text_of(event, "order"))
        except BadInput:
            return SAME
        command = signed_by(command, services.owner.name)
        answers, notice = _apply_all(services, command.actions)
        done = ""
        if command.manage:
            try:
                command, done = manage(services, command)
            except WorkbenchError as error:
                notice = problem(error)
        trial = _mock_answer(services, command) if command.trial else None
        return _answer(services, command, answers, notice, done=done, trial=trial)

    @needs(Permission.ASK)
    def on_again(
        self, state: TabState, request: gr.Request, event: gr.EventData, signed_in: gr.OAuthToken | None
    ) -> Iterator[LabelTabView | Update]:
        """Regenerate a message.

        `signed_in` is the access token of a visitor who signed in on a Space.
        """
        services, tab = services_of(self.services, state, request), tab_of(request)
        try:
            command = signed_by(parse_command(json_text_of(event, "order")), services.owner.name)
        except BadInput:
            yield SAME
            return
        notice = CLEAR
        try:
            view = opened_for(services, command.session, command.seat)
            turn = start_regeneration(
                services,
                view,
                command.message,
                corrections_of(view.labels, command.seat.annotator),
                token=Secret(signed_in.token) if signed_in else None,
            )
            with self.work.watching(tab, "regeneration") as gone, turn.watched(gone) as batches:
                self.work.sent(tab, turn, "regeneration")
                for _ in batches:
                    pass
        except WorkbenchError as error:
            notice = problem(error)
        yield _answer(services, command, notice=notice)

    @needs(Permission.ASK)
    def on_judge(
        self, state: TabState, request: gr.Request, event: gr.EventData, signed_in: gr.OAuthToken | None
    ) -> Iterator[LabelTabView | Update]:
        """Let a model label the rows of the shown project as one more annotator. Stopping it keeps its labels.

        `signed_in` as for `on_again`.
        """
        services, tab = services_of(self.services, state, request), tab_of(request)
        try:
            command = signed_by(parse_command(json_text_of(event, "order")), services.owner.name)
        except BadInput:
            yield SAME
            return
        model, project = str(command.manage.get("model") or ""), command.seat.project
        if not self.work.begin(tab):
            busy = BadInput("Label tab", "this browser tab is busy already", "wait until that ends")
            yield _answer(services, command, notice=problem(busy))
            return
        notice, done, rows = CLEAR, "", list[JudgedRow]()
        try:
            with services.at_work() as counted:
                engine = counted.engine(model, token=Secret(signed_in.token) if signed_in else None)
                stop = self.work.stop_of(tab)
                for row in judge_rows(counted, engine, project=project, name=engine.name, is_cancelled=stop):
                    rows.append(row)
                    yield SAME  # the handler ends here if the page is closed
                done = describe_judged(engine.name, rows)
        except WorkbenchError as error:
            notice = problem(error)
        finally:
            self.work.end(tab)
        yield _answer(services, command, notice=notice, done=done)

    @needs(Permission.WORK)
    def on_stop(self, request: gr.Request) -> None:
        """Stop what a model does for the tab. The text and the labels written so far are saved."""
        tab = tab_of(request)
        self.work.stop(tab)
        turn = self.work.sent_by(tab, "regeneration")
        if turn is not None:
            turn.stop.set()


def _apply_all(
    services: Services, actions: Sequence[PageAction]
) -> tuple[Sequence[ActionAnswer], NoticeView]:
    """Apply actions in order. One that the database cannot store stops there, and the page sends the rest again.

    Returns:
        The result of each applied or refused action, and the problem of the one that could not be stored.
    """
    answers: list[ActionAnswer] = []
    refused: set[str] = set()
    for action in actions:
        try:
            if action.kind == ActionKind.SUBMIT and action.session in refused:
                raise ActionRefused(
                    "before", "The session was not submitted: a change before it was refused."
                )
            answers.append(_apply(services, action))
        except StoreError as error:
            if error.__cause__ is not None:
                return answers, problem(error)
            answers.append(_refusal(action, error))
        except BadInput as error:
            answers.append(_refusal(action, error))
        if answers[-1].problem:
            refused.add(action.session)
    return answers, CLEAR


def _apply(services: Services, action: PageAction) -> ActionAnswer:
    if action.kind in (ACCEPT, ACCEPT_REST):
        changes = accept_changes(services, action.session, action.role, action.target)
    else:
        tools = opened_for(services, action.session, action.role).tools if action.has_form else OfferedTools()
        changes = read_changes(action, tools)
    outcome = apply_action(services, action.with_changes(changes), is_confirmed=action.is_confirmed)
    return ActionAnswer(
        client=action.id.client, number=action.id.number, session=action.session, note=outcome.note
    )


def _refusal(action: PageAction, error: WorkbenchError) -> ActionAnswer:
    refused = error if isinstance(error, ActionRefused) else ActionRefused("refused", page_text(error))
    return ActionAnswer(
        client=action.id.client,
        number=action.id.number,
        session=action.session,
        problem=str(refused),
        code=refused.code,
        message=refused.message_id,
        call=refused.call_index,
        can_confirm=refused.can_confirm,
    )


def _mock_answer(services: Services, command: LabelCommand) -> MockAnswer:
    """Let the mock rules of a tool answer the call of a form. No other tool is run."""
    form = command.trial
    try:
        view = opened_for(services, command.session, command.seat)
        texts = {name: str(text) for name, text in as_object(form.get("texts")).items()}
        call = read_form(str(form.get("name")), texts, view.tools)
        if call.name not in view.mocked:
            raise BadInput(f"call to {call.name!r}", "the tool has no mock", "write the result")
        return MockAnswer(form=form, result=services.tools.toolbox().run(call).result.text)
    except WorkbenchError as error:
        return MockAnswer(form=form, problem=page_text(error))


def _answer(
    services: Services,
    command: LabelCommand,
    answers: Sequence[ActionAnswer] = (),
    notice: NoticeView = CLEAR,
    *,
    done: str = "",
    trial: MockAnswer | None = None,
) -> LabelTabView:
    """Return the current state of the tab."""
    seat = command.seat
    try:
        projects = services.label_projects.list_projects()
        current = next((project for project in projects if project.reference == seat.project), None)
        if current is None:
            seat = replace(seat, project="")
        if current is not None and current.role is ProjectRole.ANNOTATOR:
            seat = replace(seat, is_deciding=False)
        command = replace(command, seat=seat)
        progress = services.label_queues.progress(project=seat.project)
        queue = _QueueOf(services, command, progress)
        session_id = command.session or queue.next_id()
        opened = open_for_labelling(services, session_id, seat) if session_id else None
        page = queue.page(session_id)
        ahead = _ahead(services, command, page, session_id) if session_id else ()
        is_decider = current is None or current.role is not ProjectRole.ANNOTATOR
        agreement = _agreement(services, command, is_decider=is_decider)
        facts = QueueFacts(
            page=page,
            progress=progress,
            agreement=agreement,
            review=_review(services, seat.project, agreement, is_decider=is_decider),
            deleted=[project.name for project in services.label_projects.deleted_projects()],
        )
    except WorkbenchError as error:
        failed = problem(error)
        return show_desk(seat, (), NO_QUEUE, None, serial=command.serial, notice=failed, answers=answers)
    return show_desk(
        seat, projects, facts, opened,
        serial=command.serial, notice=notice, answers=answers, ahead=ahead, done=done, trial=trial,
    )  # fmt: skip


class _QueueOf:
    """The queue that a command asks for."""

    def __init__(self, services: Services, command: LabelCommand, progress: ProjectProgress) -> None:
        self._queues, self._command = services.label_queues, command
        self._filter = queue_filter(services, command)
        seat = command.seat
        is_annotator = any(annotator.name == seat.annotator for annotator in progress.annotators)
        if seat.project and not seat.is_review and self._filter.assignee is None and is_annotator:
            # In a project, people label what is assigned to them, unless they choose otherwise.
            self._filter = replace(self._filter, assignee=seat.annotator)
        self._options: dict[str, Any] = {
            "project": seat.project,
            "sort": command.sort,
            "is_review": seat.is_review,
        }

    def page(self, session_id: str) -> QueuePage:
        """Return the rows that the command asks for, or those around the session."""
        first = self._command.first
        around = session_id or None if first is None else None
        return self._queues.queue(self._filter, limit=PAGE, offset=first or 0, around=around, **self._options)

    def next_id(self) -> str:
        """Return the session to show after `after`; that session itself if there are no more."""
        after, step = self._command.after, self._command.step
        if not after:
            found = self._queues.next_open(self._filter, **self._options)
            if found is not None:
                return found
            items = self._queues.queue(self._filter, limit=1, **self._options).items
            return items[0].session_id if items else ""
        if step:
            found = self._queues.neighbour(self._filter, after, is_before=step < 0, **self._options)
        else:
            found = self._queues.next_open(self._filter, after=after, **self._options)
        return found or after


def _ahead(
    services: Services, command: LabelCommand, page: QueuePage, session_id: str
) -> Sequence[LabellingView]:
    """Return the next sessions to label that the page has not loaded, so that it can show them at once."""
    ids = [item.session_id for item in page.items]
    start = ids.index(session_id) + 1 if session_id in ids else 0
    open_ids = [item.session_id for item in page.items[start:] if item.state not in CLOSED_STATES]
    views = (
        open_for_labelling(services, next_id, command.seat)
        for next_id in dict.fromkeys(open_ids[:AHEAD])
        if next_id not in command.known
    )
    return [view for view in views if view is not None]


def _agreement(services: Services, command: LabelCommand, *, is_decider: bool) -> ProjectAgreement | None:
    """Return the agreement, or None if it need not be computed again or may not be shown."""
    is_moved = (
        not command.known
        or bool(command.manage)
        or any(action.kind not in (ActionKind.LABEL, ACCEPT, ACCEPT_REST) for action in command.actions)
    )
    if not is_moved:
        return None
    return project_agreement(
        services.label_queues.judgements(project=command.seat.project) if is_decider else ()
    )


def _review(
    services: Services, project: str, agreement: ProjectAgreement | None, *, is_decider: bool
) -> ReviewView | None:
    """Return the samples for review, when the agreement is computed again."""
    if agreement is None or not is_decider or not project:
        return None if agreement is None else ReviewView()
    lots, accuracies = (
        services.label_samples.lots(project=project),
        services.label_samples.accuracies(project=project),
    )
    return show_review(lots, accuracies, agreement)


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
    work: TabWork,
    state: gr.State,
    *,
    tab: gr.Tab,
) -> None:
    """Connect the tab with its handlers.

    Args:
        work: What the open tabs are busy with, where a regeneration can be stopped.
        tab: The tab itself; opening it loads the queue.
    """
    events, desk = LabelEvents(services, work), parts.desk
    listen(tab.select, events.on_open, [state], [desk])
    listen(desk.event("label_order"), events.on_order, [state], [desk])
    listen(desk.event("label_again"), events.on_again, [state], [desk], is_model_work=True)
    listen(desk.event("label_judge"), events.on_judge, [state], [desk], is_model_work=True)
    listen(desk.event("label_stop"), events.on_stop, is_queued=False)
