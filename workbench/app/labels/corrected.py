"""A conversation with its corrections in place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.reading import ReadCall
from workbench.hermes.written_out import read_message, written_out
from workbench.records.labels.label import Label
from workbench.records.sessions import StoredMessage
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
