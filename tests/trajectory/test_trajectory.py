"""When two trajectories mean the same."""

from dataclasses import replace

import pytest

from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.trajectory import (
    Call,
    Prose,
    Result,
    RowMessage,
    Trajectory,
    is_same_trajectory,
    pair_results,
)


def trajectory(arguments, *, columns=None, **changes):
    call = Call(name="f", arguments=arguments, id="a")
    messages = (
        RowMessage(role=Role.USER, parts=(Prose(text="q"),)),
        RowMessage(role=Role.ASSISTANT, parts=(Prose(text="p"), call)),
        RowMessage(role=Role.TOOL, parts=(Result(text="1", id="a", name="f"),)),
    )
    tools = OfferedTools(specs=(ToolSpec.of_function({"name": "f", "parameters": {"type": "object"}}),))
    return replace(Trajectory(messages=messages, tools=tools, columns=columns or {}), **changes)


BASE = {"x": 1, "y": {"a": [], "b": None}}
CHANGED = {
    "another order of keys": trajectory({"y": BASE["y"], "x": 1}),
    "another order inside": trajectory({"x": 1, "y": {"b": None, "a": []}}),
    "a float": trajectory({**BASE, "x": 1.0}),
    "true": trajectory({**BASE, "x": True}),
    "a missing null": trajectory({"x": 1, "y": {"a": []}}),
    "a column": trajectory(BASE, columns={"n": 1}),
    "no tools": trajectory(BASE, tools=OfferedTools()),
    "other keys in a spec": trajectory(
        BASE,
        tools=OfferedTools(specs=(ToolSpec.of_function({"parameters": {"type": "object"}, "name": "f"}),)),
    ),
    "a start of the answer": trajectory(BASE, answer_start=1),
    "a label": trajectory(BASE, label=False),
    "one message less": trajectory(BASE, messages=trajectory(BASE).messages[:-1]),
    "a rejected answer": trajectory(BASE, rejected=trajectory(BASE).messages[:1]),
}


def with_message(changed, index, **changes):
    messages = list(changed.messages)
    messages[index] = replace(messages[index], **changes)
    return replace(changed, messages=tuple(messages))


CHANGED |= {
    "another id": with_message(
        trajectory(BASE), 2, parts=(replace(trajectory(BASE).messages[2].parts[0], id="b"),)
    ),
    "a mask": with_message(trajectory(BASE), 1, is_trained=False),
    "another order of parts": with_message(
        trajectory(BASE), 1, parts=trajectory(BASE).messages[1].parts[::-1]
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_difference_is_seen(name):
    assert not is_same_trajectory(trajectory(BASE), CHANGED[name])
    assert is_same_trajectory(CHANGED[name], CHANGED[name])


def test_what_has_no_meaning_is_ignored():
    one = trajectory(BASE, columns={"n": 1, "m": 2})
    call = replace(one.messages[1].parts[1], arguments_text='{"x":1}')
    result = replace(one.messages[2].parts[0], envelope="{}")
    other = with_message(one, 1, parts=(one.messages[1].parts[0], call), text="p …", place=7)
    other = with_message(other, 2, parts=(result,), place=9)
    assert is_same_trajectory(one, replace(other, columns={"m": 2, "n": 1}))


@pytest.mark.parametrize(
    ("calls", "results", "wanted"),
    [
        ([None, "b"], ["b", None], ["b", None]),
        (["a", "b"], [None, "a"], ["b", "a"]),
        (["a", "b", "c"], ["c", None, None], ["c", "a", "b"]),
        ([None, "b"], ["b", "x"], ["b", "x"]),
        ([None, None], ["x", "y"], ["x", "y"]),
        (["a", "b"], [None, None], ["a", "b"]),
    ],
)
def test_a_result_without_an_id_answers_a_call_that_no_id_names(calls, results, wanted):
    answer = RowMessage(
        role=Role.ASSISTANT, parts=tuple(Call(name="f", arguments={}, id=one) for one in calls)
    )
    tools = [RowMessage(role=Role.TOOL, parts=(Result(text="", id=one),)) for one in results]
    paired = pair_results([answer, *tools])
    assert [message.result and message.result.id for message in paired[1:]] == wanted
