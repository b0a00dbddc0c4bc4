"""Edit a message or a call as a new branch, and apply a labeller's corrections; nothing is overwritten."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.app.services import Services
from workbench.app.turns import copy_of
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.hermes.reading import ReadCall
from workbench.hermes.written_out import read_message, written_out
from workbench.records.labels.label import Label
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.toolspec.spec import OfferedTools


def corrections_of(labels: Sequence[Label], labeller: str) -> Mapping[str, Mapping[int | None, Label]]:
    """The labels with a correction, by the message and the call's place (None for the message itself).

    A deciding label stands before the labeller's own; those of other labellers do not count.
    """
    found: dict[str, dict[int | None, Label]] = {}
    for label in sorted(labels, key=lambda label: label.is_deciding):
        if label.content.correction is None or not (label.is_deciding or label.labeller == labeller):
            continue
        found.setdefault(label.target.message_id, {})[label.target.call_index] = label
    return found


def corrected(
    kept: StoredMessage, corrections: Mapping[str, Mapping[int | None, Label]], tools: OfferedTools
) -> Message:
    """The message as its corrections have it; itself where there are none.

    A text stands in for the whole message, and corrections of its calls count no more; a call is written into
    the text in the place of the call that it corrects.
    """
    own = corrections.get(kept.copy_of or kept.id, {})
    of_text = own.get(None)
    if of_text is not None and isinstance(of_text.content.correction, str):
        return replace(kept.message, text=of_text.content.correction, calls=(), thought=None)
    calls = {
        index: label.content.correction
        for index, label in own.items()
        if index is not None and isinstance(label.content.correction, ToolCall)
    }
    if not calls:
        return kept.message
    return with_calls(kept.message, calls, tools)


def with_calls(message: Message, calls: Mapping[int, ToolCall], tools: OfferedTools) -> Message:
    """The message with other calls in the place of those that it makes, by their place in its reading."""
    text = _with_calls(written_out(message), read_message(message, tools=tools).calls, calls)
    return replace(message, text=text, calls=(), thought=None)


def _with_calls(text: str, read: Sequence[ReadCall], wanted: Mapping[int, ToolCall]) -> str:
    """The text with each block that holds a corrected call written anew, all its calls with it."""
    blocks: dict[tuple[int, int], list[ToolCall]] = {}
    changed: set[tuple[int, int]] = set()
    for index, call in enumerate(read):
        place = (call.span.start, call.span.end)
        blocks.setdefault(place, []).append(
            wanted.get(index) or ToolCall(name=call.name, arguments=call.arguments)
        )
        if index in wanted:
            changed.add(place)
    return "".join(_pieces(text, {place: blocks[place] for place in sorted(changed)}))


def _pieces(text: str, blocks: Mapping[tuple[int, int], Sequence[ToolCall]]) -> Iterator[str]:
    position = 0
    for (start, end), calls in blocks.items():
        yield text[position:start]
        yield "\n".join(_spelled(call) for call in calls)
        position = end
    yield text[position:]


def _spelled(call: ToolCall) -> str:
    return written_out(Message(role=Role.ASSISTANT, text="", calls=(call,)))


def edit_text(
    services: Services, session_id: str, path: Sequence[StoredMessage], message_id: str, text: str
) -> StoredMessage:
    """The message with another text, as a branch; the last message of that branch.

    Of a result, the results of the other calls of its round follow it, so that the round stays whole.

    Args:
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
        path: The message's, from the root on.
        message_id: A model's.
        call: The place of the call in the message's reading, and the call that is to stand there.

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
