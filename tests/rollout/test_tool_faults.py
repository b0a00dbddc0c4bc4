"""Planted faults of tools: which calls are disturbed, how, and that a second try gets the right answer."""

import pytest

from workbench.chat.message import ToolCall, ToolResult
from workbench.errors import BadInput
from workbench.rollout.ports import ToolRun
from workbench.rollout.tool_faults import FaultPlan, PlantedFaults, ToolFault, parse_faults


class Counting:
    """A toolbox that answers with what it was asked, and counts the calls."""

    def __init__(self):
        self.names = []

    def run_round(self, calls):
        for call in calls:
            self.names.append(call.name)
            yield ToolRun(result=ToolResult(text=f'{{"{call.name}": 41}}'), milliseconds=1.0)


def call(name="a"):
    return ToolCall(name=name, arguments={})


@pytest.mark.parametrize(
    ("kind", "is_run", "text"),
    [
        ("error", False, "Internal error"),
        ("timeout", False, "did not answer"),
        ("late", False, "pending"),
        ("noise", True, "\ufffd"),
        ("contradiction", True, '{"a": 48}'),
    ],
)
def test_a_call_is_disturbed_once(kind, is_run, text):
    own = Counting()
    toolbox = PlantedFaults(FaultPlan(rate=1.0, kinds=(ToolFault(kind),)), "c").around(own)
    [disturbed] = toolbox.run_round([call()])
    assert text in disturbed.result.text
    assert disturbed.is_world_fault
    assert own.names == ["a"] * is_run
    again = toolbox.run(call())
    assert (again.result.text, again.is_world_fault) == ('{"a": 41}', False)


def test_the_same_seed_disturbs_the_same_calls():
    def faults(seed, conversation):
        planted = PlantedFaults(FaultPlan(rate=0.3, seed=seed), conversation)
        return [planted.next(call(str(number))) for number in range(200)]

    assert faults(1, "c") == faults(1, "c")
    assert faults(1, "c") != faults(2, "c") != faults(1, "d")
    assert 40 < sum(fault is not None for fault in faults(1, "c")) < 80
    assert {*faults(1, "c")} == {None, *ToolFault}


def test_results_keep_the_order_of_the_calls():
    own = Counting()
    toolbox = PlantedFaults(FaultPlan(rate=0.5, kinds=(ToolFault.ERROR,)), "c").around(own)
    runs = list(toolbox.run_round([call(str(number)) for number in range(20)]))
    assert len(runs) == 20
    for number, run in enumerate(runs):
        assert run.is_world_fault or f'"{number}"' in run.result.text


@pytest.mark.parametrize("text", ["", "x", "0", "1.5", "0.1:x", "0.1:1:fire"])
def test_an_invalid_rate_is_refused(text):
    with pytest.raises(BadInput, match="--faults"):
        parse_faults(text)
