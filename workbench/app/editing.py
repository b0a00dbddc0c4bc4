"""A message said otherwise: a branch beside it, by a person's hand; nothing is overwritten."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.app.labels.corrected import with_calls
from workbench.app.services import Services
from workbench.app.turns import copy_of
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.toolspec.spec import OfferedTools


def edit_text(
    services: Services, session_id: str, path: Sequence[StoredMessage], message_id: str, text: str
) -> StoredMessage:
    """The message with another text, as a branch; the last message of that branch.

    Of a result, the results of the other calls of its round follow it, so that the round stays whole.

    Args:
        services: The edges.
        session_id: The session.
        path: The message's, from the root on.
        message_id: A user's, a model's or a tool's.
        text: All that it says now, byte for byte.

    Raises:
        BadInput: There is no such message, it is the system text, or the text cannot be stored.
        StoreError: It could not be committed.
    """
    place = place_of(path, message_id)
    said = path[place].message
    message = replace(said, text=text, calls=(), thought=None)
    return _keep(services, session_id, path, place, message)


def edit_call(
    services: Services,
    session_id: str,
    path: Sequence[StoredMessage],
    message_id: str,
    call: tuple[int, ToolCall],
    tools: OfferedTools,
) -> StoredMessage:
    """The message with another call in the place of one, as a branch; the last message of that branch.

    Args:
        services: The edges.
        session_id: The session.
        path: The message's, from the root on.
        message_id: A model's.
        call: The place of the call in the message's reading, and the call that is to stand there.
        tools: What it was read against.

    Raises:
        BadInput: There is no such message, or its text cannot be stored.
        StoreError: It could not be committed.
    """
    place = place_of(path, message_id)
    message = with_calls(path[place].message, dict([call]), tools)
    return _keep(services, session_id, path, place, message)


def place_of(path: Sequence[StoredMessage], message_id: str) -> int:
    """Where a message that may be edited stands on its path.

    Raises:
        BadInput: It is not there, or it is the system text.
    """
    ids = [kept.id for kept in path]
    if message_id not in ids:
        raise BadInput(f"message {message_id!r}", "it is not on this branch", "choose one that is shown")
    place = ids.index(message_id)
    if path[place].message.role is Role.SYSTEM:
        raise BadInput("the system text", "it is made of the contract", "edit the contract at the left")
    return place


def _keep(
    services: Services, session_id: str, path: Sequence[StoredMessage], place: int, message: Message
) -> StoredMessage:
    rest: list[NewMessage] = []
    if message.role is Role.TOOL:
        for kept in path[place + 1 :]:
            if kept.message.role is not Role.TOOL:
                break
            rest.append(copy_of(kept))
    run = path[place].tool_run
    edited = NewMessage(message=message, origin=MessageOrigin.PERSON, tool_run=run)
    parent_id = path[place].parent_id
    return services.sessions.append_all(session_id, [edited, *rest], parent_id=parent_id)[-1]
