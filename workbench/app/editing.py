"""Edit a message or a call on a new branch, and apply an annotator's corrections. Nothing is overwritten."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.app.services import Services
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.hermes.reading import ReadCall
from workbench.hermes.written_out import read_message, written_out
from workbench.records.label import AddedCall, Label
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage, copy_of, index_on
from workbench.toolspec.spec import OfferedTools


def corrections_of(labels: Sequence[Label], annotator: str) -> Mapping[str, Mapping[int | None, Label]]:
    """Return the labels with corrections, by message id and call index. The index None is the whole message.

    A deciding label takes precedence over the annotator's own. Labels of other annotators are ignored.
    """
    corrections: dict[str, dict[int | None, Label]] = {}
    for label in sorted(labels, key=lambda label: label.is_deciding):
        if label.content.correction is None or not (label.is_deciding or label.annotator == annotator):
            continue
        corrections.setdefault(label.target.message_id, {})[label.target.call_index] = label
    return corrections


def corrected(
    stored: StoredMessage, corrections: Mapping[str, Mapping[int | None, Label]], tools: OfferedTools
) -> Message:
    """Return the message with its corrections applied, or the message itself without any.

    A corrected text replaces the whole message, and corrections of its calls are ignored. Otherwise each
    corrected call replaces the original call in the text. Calls that were added to its own ones follow in any case.
    """
    own = corrections.get(stored.copy_of or stored.id, {})
    message = _corrected_text(stored.message, own, tools)
    beside = tuple(added.call for added in added_to(stored, corrections) if not added.is_before)
    if not beside:
        return message
    text = written_out(replace(message, text=written_out(message), calls=beside, thought=None))
    return replace(message, text=text, calls=(), thought=None)


def _corrected_text(message: Message, own: Mapping[int | None, Label], tools: OfferedTools) -> Message:
    text_label = own.get(None)
    if text_label is not None and isinstance(text_label.content.correction, str):
        return replace(message, text=text_label.content.correction, calls=(), thought=None)
    calls = {
        index: label.content.correction
        for index, label in own.items()
        if index is not None and isinstance(label.content.correction, ToolCall)
    }
    return with_calls(message, calls, tools) if calls else message


def added_to(
    stored: StoredMessage, corrections: Mapping[str, Mapping[int | None, Label]]
) -> Sequence[AddedCall]:
    """Return the calls that were added to a message, in order."""
    own = corrections.get(stored.copy_of or stored.id, {})
    labels = [own[index].content.correction for index in sorted(index for index in own if index is not None)]
    return [correction for correction in labels if isinstance(correction, AddedCall)]


def with_calls(message: Message, calls: Mapping[int, ToolCall], tools: OfferedTools) -> Message:
    """Return the message with some of its calls replaced. The keys are indexes in the message's reading."""
    text = _with_calls(written_out(message), read_message(message, tools=tools).calls, calls)
    return replace(message, text=text, calls=(), thought=None)


def _with_calls(text: str, read: Sequence[ReadCall], new_calls: Mapping[int, ToolCall]) -> str:
    """Return the text with the blocks of replaced calls rewritten, including the block's other calls."""
    blocks: dict[tuple[int, int], list[ToolCall]] = {}
    changed: set[tuple[int, int]] = set()
    for index, call in enumerate(read):
        span = (call.span.start, call.span.end)
        blocks.setdefault(span, []).append(
            new_calls.get(index) or ToolCall(name=call.name, arguments=call.arguments)
        )
        if index in new_calls:
            changed.add(span)
    return "".join(_pieces(text, {span: blocks[span] for span in sorted(changed)}))


def _pieces(text: str, blocks: Mapping[tuple[int, int], Sequence[ToolCall]]) -> Iterator[str]:
    position = 0
    for (start, end), calls in blocks.items():
        yield text[position:start]
        yield "\n".join(_write_call(call) for call in calls)
        position = end
    yield text[position:]


def _write_call(call: ToolCall) -> str:
    return written_out(Message(role=Role.ASSISTANT, text="", calls=(call,)))


def edit_text(
    services: Services, session_id: str, path: Sequence[StoredMessage], message_id: str, text: str
) -> StoredMessage:
    """Store the message with another text on a new branch, and return the last message of that branch.

    After an edited tool result, the results of the other calls of its round are copied to the branch too, so
    that the round stays complete.

    Args:
        path: The path to the message, root first.
        message_id: A message of the user, the model or a tool.
        text: The new text, byte for byte.

    Raises:
        BadInput: The message is not on the path, it is the system message, or the text cannot be stored.
        StoreError: The branch could not be stored.
    """
    place = place_of(path, message_id)
    message = replace(path[place].message, text=text, calls=(), thought=None)
    return _store_branch(services, session_id, path, place, message)


def edit_call(
    services: Services,
    session_id: str,
    path: Sequence[StoredMessage],
    message_id: str,
    call: tuple[int, ToolCall],
    tools: OfferedTools,
) -> StoredMessage:
    """Store the message with one call replaced on a new branch, and return the last message of that branch.

    Args:
        path: The path to the message, root first.
        message_id: A message of the model.
        call: Index of the call in the message's reading, and the new call.

    Raises:
        BadInput: The message is not on the path, or its text cannot be stored.
        StoreError: The branch could not be stored.
    """
    place = place_of(path, message_id)
    message = with_calls(path[place].message, dict([call]), tools)
    return _store_branch(services, session_id, path, place, message)


def place_of(path: Sequence[StoredMessage], message_id: str) -> int:
    """Return the index of an editable message on its path.

    Raises:
        BadInput: The message is not on the path, or it is the system message.
    """
    place = index_on(path, message_id)
    if path[place].message.role is Role.SYSTEM:
        raise BadInput("the system text", "it is generated from the contract", "edit the contract instead")
    return place


def _store_branch(
    services: Services, session_id: str, path: Sequence[StoredMessage], place: int, message: Message
) -> StoredMessage:
    rest: list[NewMessage] = []
    if message.role is Role.TOOL:
        for stored in path[place + 1 :]:
            if stored.message.role is not Role.TOOL:
                break
            rest.append(copy_of(stored))
    run = path[place].tool_run
    # The tool has done what it did, whatever its result now says.
    patch = path[place].world_patch
    edited = NewMessage(message=message, origin=MessageOrigin.PERSON, tool_run=run, world_patch=patch)
    parent_id = path[place].parent_id
    return services.sessions.append_all(session_id, [edited, *rest], parent_id=parent_id)[-1]
