"""Regenerate or continue a message on a new branch, with the corrections above it applied; nothing is overwritten."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.app.editing import corrected
from workbench.app.labelling import LabellingView
from workbench.app.prepare import PreparedTurn, TurnContext, prepare_turn, system_message
from workbench.app.services import Services
from workbench.app.turns import MessageStored, TurnRecorder, copy_of, record_turn
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message, written_out
from workbench.records.labels.label import Label
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.rollout.events import Event
from workbench.settings import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePoint:
    """From where a session is played on."""

    message_id: str
    """The last message of the path: of a user or a tool, it is answered; of a model, its calls are run first."""
    prefix: str = ""
    """What the answer begins with; empty leaves the model free."""
    is_answer: bool = False
    """True where a message is answered anew: several samples of that can be asked for."""


def continue_from(
    services: Services, session_id: str, setup: RunConfig, onward: ResumePoint, context: TurnContext
) -> Iterator[Event | MessageStored]:
    """All that answers a path; see `workbench.app.turns.run_turn` for what is told and kept.

    Where the setup's system text is not the path's, the path is copied under the new one.

    Raises:
        BadInput: The setup cannot be used, or a beginning is wanted of a model that takes none.
        EngineError: The model is missing, or the prompt does not fit.
        StoreError: There is no such message, or one could not be committed.
    """
    services.limits.check_turn(setup, onward.prefix)
    with services.at_work() as at_work:
        yield from _played_on(at_work, session_id, setup, onward, context)


def _played_on(
    services: Services, session_id: str, setup: RunConfig, onward: ResumePoint, context: TurnContext
) -> Iterator[Event | MessageStored]:
    engine = services.engine(setup.model, token=context.token)
    if onward.prefix and engine.capabilities.is_chat_only:
        remedy = "choose one that takes raw text, such as a local GGUF model"
        raise BadInput(f"model {setup.model!r}", "its server takes no beginning of an answer", remedy)
    system = system_message(services, setup, engine)
    path = services.sessions.path(session_id, leaf_id=onward.message_id)
    said = [kept.message for kept in path if kept.message.role is not Role.SYSTEM]
    prepared = prepare_turn(
        services, session_id, setup, context, engine, (system, *said), prefix=onward.prefix
    )
    services.sessions.save_setup(session_id, setup)
    parent_id = _rooted(services, session_id, path, system)
    if _is_answered(prepared):
        return
    keeper = TurnRecorder(services=services, session_id=session_id, parent_id=parent_id)
    yield from record_turn(prepared, keeper, setup.ephemeral)


def continuation_of(kept: StoredMessage) -> ResumePoint:
    """How a model's message is gone on with where it stopped: its text is the beginning of another one.

    Raises:
        BadInput: No model said it.
    """
    if kept.message.role is not Role.ASSISTANT or kept.parent_id is None:
        raise BadInput("continue", "no model said this message", "choose an answer or a call")
    return ResumePoint(message_id=kept.parent_id, prefix=written_out(kept.message))


def _rooted(services: Services, session_id: str, path: Sequence[StoredMessage], system: Message) -> str:
    """The last message of the path, under a root that says `system`."""
    if path[0].message == system:
        return path[-1].id
    root = NewMessage(message=system, origin=MessageOrigin.PERSON)
    copies = (copy_of(kept) for kept in path if kept.message.role is not Role.SYSTEM)
    return services.sessions.append_all(session_id, (root, *copies), parent_id=None)[-1].id


def _is_answered(prepared: PreparedTurn) -> bool:
    """Whether the last message is an answer, which nothing follows."""
    last = prepared.conversation.messages[-1]
    if last.role is not Role.ASSISTANT or prepared.turn.prefix:
        return False
    return not read_message(last, tools=prepared.turn.setup.tools).calls


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    path: tuple[StoredMessage, ...]
    messages: tuple[Message, ...]


def regenerate_message(
    services: Services,
    bench: LabellingView,
    message_id: str,
    corrections: Mapping[str, Mapping[int | None, Label]],
    *,
    is_cancelled: Callable[[], bool],
    token: Secret | None = None,
) -> Iterator[Event | MessageStored]:
    """Plays on from before a message, or from before the first stale one above it.

    The conversation so far is as its corrections have it; where one changes it, it is kept as a branch, of
    which the corrected messages are a person's. Calls whose results are to be made anew are run first.

    Args:
        bench: The session, as it was looked at.
        message_id: What is to be written anew: of the model, or a result.
        corrections: Of whoever asks; see `workbench.app.editing`.
        token: A visitor's own, for a hosted model.

    Raises:
        BadInput: No model and no tool said the message, or the setup cannot be used.
        EngineError: The model is missing, or the prompt does not fit.
        StoreError: A message could not be committed.
    """
    services.limits.check_setup(bench.session.setup)
    with services.at_work() as at_work:
        begun = _begin(bench, message_id, corrections)
        yield from _played_again(at_work, bench, begun, is_cancelled, token)


def _played_again(
    services: Services,
    bench: LabellingView,
    begun: _Begun,
    is_cancelled: Callable[[], bool],
    token: Secret | None,
) -> Iterator[Event | MessageStored]:
    setup = bench.session.setup
    engine = services.engine(setup.model, token=token)
    context = TurnContext(is_cancelled=is_cancelled, token=token)
    prepared = prepare_turn(services, bench.session.id, setup, context, engine, begun.messages)
    parent_id = _keep_prefix(services, bench.session.id, begun)
    keeper = TurnRecorder(services=services, session_id=bench.session.id, parent_id=parent_id)
    yield from record_turn(prepared, keeper, setup.ephemeral)


def _begin(
    bench: LabellingView, message_id: str, corrections: Mapping[str, Mapping[int | None, Label]]
) -> _Begun:
    path = tuple(bench.path)
    ids = [kept.id for kept in path]
    place = ids.index(message_id) if message_id in ids else -1
    if place < 0 or path[place].message.role not in (Role.ASSISTANT, Role.TOOL):
        raise BadInput(f"message {message_id!r}", "no model wrote it", "choose an answer, a call or a result")
    stale = [index for index, one in enumerate(ids) if one in bench.stale]
    start = min([place, *(index for index in stale if path[index].message.role is not Role.USER)])
    while path[start].message.role is Role.TOOL and path[start - 1].message.role is Role.TOOL:
        start -= 1
    before = path[:start]
    return _Begun(path=before, messages=tuple(corrected(kept, corrections, bench.tools) for kept in before))


def _keep_prefix(services: Services, session_id: str, begun: _Begun) -> str:
    """The id of the last message to go on from: of a branch, where a correction changes the conversation."""
    pairs = list(zip(begun.path, begun.messages, strict=True))
    changed = [place for place, (kept, message) in enumerate(pairs) if kept.message != message]
    if not changed:
        return begun.path[-1].id
    first = changed[0]
    new = [
        copy_of(kept) if kept.message == message else NewMessage(message=message, origin=MessageOrigin.PERSON)
        for kept, message in pairs[first:]
    ]
    parent_id = begun.path[first - 1].id if first else None
    return services.sessions.append_all(session_id, new, parent_id=parent_id)[-1].id
