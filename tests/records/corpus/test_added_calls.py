"""Where a call that an annotator added, and its result, stand in a conversation, and what they make stale."""

from datetime import UTC, datetime, timedelta

import pytest

from workbench.chat.message import Message, ToolCall
from workbench.records.corpus.added_calls import with_added
from workbench.records.label import AddedCall
from workbench.records.staleness import PathStep, find_stale


def placed(path: str, **added: str) -> str:
    """Return a path of letters with the added calls of each letter: `(` before it, `+` beside its calls, and results.

    A digit is a result. `before="b"` adds a call before `b`.
    """
    places = {letter: where == "before" for where, letters in added.items() for letter in letters}

    def added_to(item: str) -> list[AddedCall]:
        call = ToolCall(name=item, arguments={})
        return [AddedCall(call=call, result="r", is_before=places[item])] if item in places else []

    def make(_: str, message: Message) -> str:
        return f"({''.join(call.name for call in message.calls)})" if message.calls else f"[{message.name}]"

    return "".join(with_added(path, added_to, str.isdigit, make))


@pytest.mark.parametrize(
    ("path", "before", "beside", "result"),
    [
        ("uc1a", "", "", "uc1a"),
        ("ua", "a", "", "u(a)[a]a"),
        ("uc1a", "a", "", "uc1(a)[a]a"),
        ("uc1a", "", "c", "uc1[c]a"),
        ("uc12avb", "b", "c", "uc12[c]av(b)[b]b"),
        ("uc1", "", "c", "uc1[c]"),
        ("uc", "", "c", "uc"),
        ("ucd1a", "", "cd", "uc[c]d1[d]a"),
        ("", "", "", ""),
    ],
)
def test_a_call_precedes_an_answer_and_a_result_follows_the_other_results(
    path: str, before: str, beside: str, result: str
) -> None:
    assert placed(path, before=before, beside=beside) == result


def at(minute: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)


def step(name: str, **moments: datetime) -> PathStep:
    return PathStep(message_id=name, created_at=at(0), is_result=name.isdigit(), **moments)


@pytest.mark.parametrize(
    ("path", "stale"),
    [
        ([step("u"), step("a", called_before_at=at(1)), step("v"), step("b")], "avb"),
        ([step("a", called_before_at=at(1), accepted_at=at(2)), step("v")], "v"),
        ([step("c", called_beside_at=at(1)), step("1"), step("2"), step("a")], "a"),
        ([step("c", called_beside_at=at(1), corrected_at=at(1)), step("1"), step("a")], "1a"),
        ([step("c", called_beside_at=at(1)), step("1"), step("a", accepted_at=at(2)), step("v")], "v"),
    ],
)
def test_an_answer_is_stale_after_a_call_was_added_and_results_of_other_calls_are_not(
    path: list[PathStep], stale: str
) -> None:
    assert "".join(find_stale(path)) == stale
