"""Run a turn of a session. The page, the commands, the API and suites all come through here.

`start_turn` runs one in a thread of its own, until it ends or a person stops it, with or without a page.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from workbench.app.prepare import PreparedTurn, ReadyTurn, prepare_turn, ready_turn
from workbench.app.regenerate import regenerate_message
from workbench.app.running_turn import RunningTurn
from workbench.app.services import Services
from workbench.app.turn_recorder import TurnRecorder, record_turn
from workbench.app.turn_request import (
    Execution,
    MessageStored,
    ResumePoint,
    SampleStarted,
    TurnContext,
    TurnEvent,
    TurnRequest,
)
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message
from workbench.label.app.labelling import LabellingView
from workbench.records.label import Label
from workbench.records.run_config import RunConfig
from workbench.records.session_world import world_at
from workbench.records.sessions import StoredSession
from workbench.rollout.events import Event
from workbench.settings import Secret

ALONE: Final = TurnContext()
"""The context of a turn that nobody watches."""


def begin_session(services: Services, setup: RunConfig, *, token: Secret | None = None) -> StoredSession:
    """Create a session without messages, after checking that its setup can be used. On an error, nothing is stored.

    Args:
        token: A visitor's own access token for a hosted model. See `workbench.rollout.models.Models`.

    Raises:
        BadInput: The contract, the tools, or the tool choice cannot be used.
        EngineError: The model is missing or cannot be loaded.
        StoreError: The session could not be stored.
    """
    ready_turn(services, setup, token=token).system_message()
    return services.sessions.create_session(setup)


def run_turn(
    services: Services, request: TurnRequest, context: TurnContext = ALONE
) -> Iterator[Event | MessageStored | SampleStarted]:
    """Run one turn of a session: store the user's text, and generate and store everything that answers it.

    If the setup or the text cannot be used, nothing is stored. Each event that ends a message is followed by a
    `MessageStored`. If the caller stops iterating, or an error ends the turn during a completion, the text so far
    is stored. If the system text differs from the session's, the path is copied under the new system text.

    Raises:
        BadInput: The contract, the tools, the tool choice or the text cannot be used, or the model does not accept the
            beginning of an answer.
        EngineError: The model is missing, or the prompt does not fit.
        StoreError: A message does not exist, or could not be stored.
    """
    services.limits.check_samples(request.samples)
    with services.at_work() as at_work:
        point = request.resume
        for event in _answer(at_work, request, context):
            if isinstance(event, MessageStored):
                # The first message that a turn of a text stores is the user's.
                point = point or ResumePoint(message_id=event.stored.id)
            yield event
        if point is not None and request.samples > 1:
            yield from draw_samples(at_work, request, point, context)


def draw_samples(
    services: Services, request: TurnRequest, point: ResumePoint, context: TurnContext = ALONE
) -> Iterator[Event | MessageStored | SampleStarted]:
    """Draw the second and all further samples of a turn, each with the next seed, as sibling branches.

    Args:
        point: The message that each sample answers.

    Raises:
        WorkbenchError: As in `run_turn`.
    """
    services.limits.check_samples(request.samples)
    setup = request.setup
    services.limits.check_setup(setup)
    try:
        for number in range(2, request.samples + 1):
            if context.is_cancelled():
                return
            yield SampleStarted(number=number, count=request.samples)
            seed = (setup.sampling.seed + number - 1) % 2**31
            reseeded = replace(setup, sampling=replace(setup.sampling, seed=seed))
            again = replace(request, setup=reseeded, session_id=request.subject, resume=point)
            with services.at_work() as at_work:
                yield from _answer(at_work, again, context)
    finally:
        # Restore the original setup, because each sample saved its own seed in the session.
        services.sessions.save_setup(request.subject, setup)


def _answer(
    services: Services, request: TurnRequest, context: TurnContext
) -> Iterator[Event | MessageStored]:
    """Run a turn without further samples."""
    point, session_id = request.resume, request.subject
    prefix = point.prefix if point else ""
    ready = ready_turn(services, request.setup, text=prefix if point else request.text, token=request.token)
    _require_prefix(ready, prefix)
    path = services.sessions.begin_turn(
        session_id,
        request.setup,
        ready.system_message(),
        text=None if point else request.text,
        origin=request.origin,
        leaf_id=point.message_id if point else request.leaf_id,
        is_new=request.session_id is None,
    )
    if point is None:
        yield MessageStored(stored=path[-1])
    messages = [stored.message for stored in path]
    world = world_at(path)
    prepared = prepare_turn(services, session_id, ready, context, messages, world=world, prefix=prefix)
    if _is_answered(prepared):
        return
    recorder = TurnRecorder(services=services, session_id=session_id, parent_id=path[-1].id)
    yield from record_turn(prepared, recorder, request.setup.ephemeral)


def _require_prefix(ready: ReadyTurn, prefix: str) -> None:
    if prefix and ready.engine.capabilities.is_chat_only:
        remedy = "choose a model that accepts raw text, such as a local GGUF model"
        problem = "its server cannot continue a given beginning"
        raise BadInput(f"model {ready.config.model!r}", problem, remedy)


def _is_answered(prepared: PreparedTurn) -> bool:
    """Whether the last message is an answer without calls, so that there is nothing to generate."""
    last = prepared.conversation.messages[-1]
    if last.role is not Role.ASSISTANT or prepared.turn.prefix:
        return False
    return not read_message(last, tools=prepared.turn.setup.tools).calls


def start_turn(services: Services, request: TurnRequest) -> RunningTurn:
    """Start a turn in its own thread.

    The caller need not watch it. What goes wrong later ends the turn's log as an error.

    Raises:
        BadInput: The session already has a running turn, or the owner has too many, or a limit is exceeded.
    """
    services.limits.check_samples(request.samples)
    services.limits.check_turn(request.setup, request.text)
    turn = _running(services, request)
    return services.turns.start(services.at_work(), turn, lambda counted: _events(counted, turn))


def start_regeneration(
    services: Services,
    view: LabellingView,
    message_id: str,
    corrections: Mapping[str, Mapping[int | None, Label]],
    *,
    token: Secret | None = None,
) -> RunningTurn:
    """Start to regenerate a message in its own thread; see `workbench.app.regenerate.regenerate_message`.

    Raises:
        BadInput: The session already has a running turn, or the owner has too many.
    """
    session = view.session
    turn = _running(services, TurnRequest(setup=session.setup, session_id=session.id, token=token))
    return services.turns.start(
        services.at_work(),
        turn,
        lambda counted: regenerate_message(
            counted, view, message_id, corrections, is_cancelled=turn.stop, token=token
        ),
    )


def running_turn(services: Services, session_id: str | None) -> RunningTurn | None:
    """Return the running turn of one of the owner's sessions, or None."""
    return services.turns.running(services.owner.key, session_id)


def _running(services: Services, request: TurnRequest) -> RunningTurn:
    return RunningTurn(
        services.owner.key,
        request,
        now_s=services.calendar.seconds,
        approval_timeout_s=services.settings.approval_timeout_s,
    )


def _events(services: Services, turn: RunningTurn) -> Iterator[TurnEvent]:
    """Run a turn with the person who watches it."""
    request = turn.request
    if turn.stop():
        return
    context = TurnContext(
        is_cancelled=turn.stop,
        approver=turn.person if request.has_person else None,
        stepper=turn.person if request.execution is Execution.STEP else None,
        runs_calls=request.execution is not Execution.STOP,
    )
    for event in run_turn(services, request, context):
        turn.has_stored = turn.has_stored or isinstance(event, MessageStored)
        yield event
