"""Place the calls that annotators added, with their results, in a conversation.

An answer that a call should have preceded gets it as a message of its own, followed by its result:

    user, answer  ->  user, call, result, answer

If a message lacks one of several calls, the call becomes one more of them, and its result follows theirs:

    user, calls, results, answer  ->  user, calls + call, results + result, answer

The result is left out if the conversation ends with the message, so that its own calls have no results either.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from workbench.chat.message import Message, Role
from workbench.records.label import AddedCall

_Item = TypeVar("_Item")


def with_added(
    path: Iterable[_Item],
    added: Callable[[_Item], Sequence[AddedCall]],
    is_result: Callable[[_Item], bool],
    make: Callable[[_Item, Message], _Item],
) -> Iterator[_Item]:
    """Yield the items of a conversation, and those of added calls and results where they belong.

    The calls that belong to the message of an item are not added to it here.

    Args:
        path: What the conversation consists of, oldest first.
        added: Returns the calls that were added to an item.
        is_result: Whether an item is a tool result.
        make: Makes the item for a new message that belongs to an item.
    """
    waiting: list[_Item] = []
    item = None
    for item in path:
        if not is_result(item):
            yield from waiting
            waiting = []
        before = [call for call in added(item) if call.is_before]
        if before:
            calls = tuple(call.call for call in before)
            yield make(item, Message(role=Role.ASSISTANT, text="", calls=calls))
            yield from (make(item, _result(call)) for call in before)
        yield item
        waiting += [make(item, _result(call)) for call in added(item) if not call.is_before]
    if item is not None and is_result(item):
        yield from waiting


def _result(added: AddedCall) -> Message:
    return Message(role=Role.TOOL, text=added.result, name=added.call.name)
