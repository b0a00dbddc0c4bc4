"""Regenerate or continue a message on a new branch, with the corrections above it applied. Nothing is overwritten."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from workbench.app.editing import added_to, corrected
from workbench.app.prepare import prepare_turn, ready_turn
from workbench.app.services import Services
from workbench.app.turn_recorder import TurnRecorder, record_turn
from workbench.app.turn_request import MessageStored, ResumePoint, TurnContext
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.hermes.written_out import written_out
from workbench.label.app.labelling import LabellingView
from workbench.records.corpus.added_calls import with_added
from workbench.records.label import Label
from workbench.records.session_world import world_at
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage, copy_of, index_on
from workbench.rollout.events import Event
from workbench.settings import Secret


def continuation_of(stored: StoredMessage) -> ResumePoint:
    """Return the point that continues a model's message: its text is the beginning of a new message.

    Raises:
        BadInput: No model wrote the message.
    """
    if stored.message.role is not Role.ASSISTANT or stored.parent_id is None:
        raise BadInput("continue", "no model wrote this message", "choose an answer or a call")
    return ResumePoint(message_id=stored.parent_id, prefix=written_out(stored.message))


class _Step(NamedTuple):
    stored: StoredMessage | None
    """None for a call that was added, or its result."""
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prefix:
    """The messages above the point from which a session is regenerated, with corrections applied."""

    steps: tuple["_Step", ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the model sees."""
        return tuple(step.message for step in self.steps)


def regenerate_message(
    services: Services,
    view: LabellingView,
    message_id: str,
    corrections: Mapping[str, Mapping[int | None, Label]],
    *,
    is_cancelled: Callable[[], bool],
    token: Secret | None = None,
) -> Iterator[Event | MessageStored]:
    """Regenerate a message, starting with the first stale message above it if there is one.

    The model sees the conversation with the corrections applied. If a correction changes it, the conversation is
    stored as a branch, in which the corrected messages have the origin `person`. If a tool result is
    regenerated, the calls of its round run first.

    Args:
        view: The session as it is shown for labelling.
        message_id: The answer, call or result to regenerate.
        corrections: The corrections to apply, as `workbench.app.editing.corrections_of` returns them.
        is_cancelled: Returns True once a person has stopped it.
        token: A visitor's own access token for a hosted model.

    Raises:
        BadInput: Neither a model nor a tool wrote the message, or the setup cannot be used.
        EngineError: The model is missing, or the prompt does not fit.
        StoreError: A message could not be stored.
    """
    with services.at_work() as at_work:
        prefix = _prefix_of(view, message_id, corrections)
        yield from _regenerate(at_work, view, prefix, is_cancelled, token)


def _regenerate(
    services: Services,
    view: LabellingView,
    prefix: _Prefix,
    is_cancelled: Callable[[], bool],
    token: Secret | None,
) -> Iterator[Event | MessageStored]:
    setup = view.session.setup
    ready = ready_turn(services, setup, token=token)
    context = TurnContext(is_cancelled=is_cancelled)
    world = world_at(step.stored for step in prefix.steps if step.stored)
    prepared = prepare_turn(services, view.session.id, ready, context, prefix.messages, world=world)
    parent_id = _store_prefix(services, view.session.id, prefix)
    recorder = TurnRecorder(services=services, session_id=view.session.id, parent_id=parent_id)
    yield from record_turn(prepared, recorder, setup.ephemeral)


def _prefix_of(
    view: LabellingView, message_id: str, corrections: Mapping[str, Mapping[int | None, Label]]
) -> _Prefix:
    path = tuple(view.path)
    ids = [stored.id for stored in path]
    place = index_on(path, message_id)
    if path[place].message.role not in (Role.ASSISTANT, Role.TOOL):
        raise BadInput(
            "this message",
            "neither a model nor a tool wrote it",
            "choose an answer, a call or a result",
        )
    stale = [index for index, stored_id in enumerate(ids) if stored_id in view.stale]
    start = min([place, *(index for index in stale if path[index].message.role is not Role.USER)])
    while path[start].message.role is Role.TOOL and path[start - 1].message.role is Role.TOOL:
        start -= 1
    # The message itself is regenerated, but not the calls that were added before it.
    steps = [_Step(stored, corrected(stored, corrections, view.tools)) for stored in path[: start + 1]]
    placed = with_added(
        steps,
        lambda step: added_to(step.stored, corrections) if step.stored else (),
        lambda step: step.message.role is Role.TOOL,
        lambda _, message: _Step(None, message),
    )
    return _Prefix(steps=tuple(takewhile(lambda step: step.stored is not path[start], placed)))


def _store_prefix(services: Services, session_id: str, prefix: _Prefix) -> str:
    """Return the id of the message to continue from. If a correction changes the prefix, store it as a branch."""
    kept = [*takewhile(_is_unchanged, prefix.steps)]
    parent_id = kept[-1].stored.id if kept and kept[-1].stored else None
    new = [
        copy_of(step.stored)
        if step.stored and _is_unchanged(step)
        else NewMessage(
            message=step.message,
            origin=MessageOrigin.PERSON,
            world_patch=step.stored.world_patch if step.stored else (),
        )
        for step in prefix.steps[len(kept) :]
    ]
    if not new and parent_id is not None:
        return parent_id
    return services.sessions.append_all(session_id, new, parent_id=parent_id)[-1].id


def _is_unchanged(step: _Step) -> bool:
    return step.stored is not None and step.stored.message == step.message
