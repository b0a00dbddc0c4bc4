"""Which result answers which call."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.chat.message import Role
from workbench.trajectory.trajectory import Call, Result, RowMessage


def pair_results(messages: Sequence[RowMessage]) -> tuple[RowMessage, ...]:
    """The messages with names and ids filled in: each result knows the name, and each call and result the id,
    that its other half tells. By id where there are ids, else by order."""
    found = list(messages)
    for index, message in enumerate(found):
        if message.calls:
            end = index + 1
            while end < len(found) and found[end].role is Role.TOOL:
                end += 1
            found[index], found[index + 1 : end] = _tied(message, found[index + 1 : end])
    return tuple(found)


def _tied(message: RowMessage, answers: Sequence[RowMessage]) -> tuple[RowMessage, list[RowMessage]]:
    """A message with calls, and the results behind it."""
    calls = list(message.calls)
    by_id = {call.id: place for place, call in enumerate(calls) if call.id is not None}
    tied: list[RowMessage] = []
    for order, answer in enumerate(answers):
        result = answer.result
        place = by_id.get(result.id, order) if result and result.id is not None else order
        if result is not None and place < len(calls) and _may_answer(calls[place], result):
            call = calls[place]
            calls[place] = replace(call, id=call.id if call.id is not None else result.id)
            named = replace(result, name=result.name or call.name, id=calls[place].id)
            answer = replace(answer, parts=(named,))
        tied.append(answer)
    replaced = iter(calls)
    parts = tuple(next(replaced) if isinstance(part, Call) else part for part in message.parts)
    return replace(message, parts=parts), tied


def _may_answer(call: Call, result: Result) -> bool:
    """Whether nothing speaks against it."""
    is_named = result.name is None or result.name == call.name
    return is_named and (result.id is None or call.id is None or result.id == call.id)
