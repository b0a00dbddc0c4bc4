"""The steps of a handler, as they are sent to the browser."""

from typing import Any

import pytest
from gradio.block_function import BlockFunction

from workbench.records.owner import UserRole
from workbench.ui.gradio_parts.page_blocks import PageBlocks
from workbench.ui.page_checks import PageChecks

SAME = {"__type__": "update"}


@pytest.fixture
def blocks() -> PageBlocks:
    return PageBlocks(PageChecks(lambda _: UserRole.LOCAL), analytics_enabled=False)


@pytest.fixture
def event() -> BlockFunction:
    # Only how many outputs there are is looked at.
    event_function: Any = object.__new__(BlockFunction)
    event_function.outputs = [None, None]
    return event_function


def test_changed_values_are_sent_completely_and_unchanged_values_are_omitted(
    blocks: PageBlocks, event: BlockFunction
):
    steps = [
        [{"value": {"rows": [[1], [2], [3]]}}, "a"],
        [{"value": {"rows": [[1]]}}, "a"],
        [SAME, "ab"],
        [SAME, "ab"],
    ]
    sent = [blocks.handle_streaming_diffs(event, [*step], "tab", "run", final=False) for step in steps]
    assert sent == [
        steps[0],
        [[["replace", [], steps[1][0]]], []],
        [[["replace", [], SAME]], [["replace", [], "ab"]]],
        [[], []],
    ]


def test_the_final_step_repeats_the_last_values_and_clears_the_stream(
    blocks: PageBlocks, event: BlockFunction
):
    for step in (["a", SAME], ["b", SAME]):
        blocks.handle_streaming_diffs(event, step, "tab", "run", final=False)
    assert blocks.handle_streaming_diffs(event, [None, None], "tab", "run", final=True) == ["b", SAME]
    assert blocks.handle_streaming_diffs(event, ["c", SAME], "tab", "run", final=False) == ["c", SAME]


def test_steps_of_different_tabs_and_runs_are_kept_apart(blocks: PageBlocks, event: BlockFunction):
    for tab, run in (("tab", "run"), ("tab", "other run"), ("other tab", "run")):
        assert blocks.handle_streaming_diffs(event, ["a", "b"], tab, run, final=False) == ["a", "b"]


def test_the_simple_format_returns_the_values(blocks: PageBlocks, event: BlockFunction):
    for step in (["a", "b"], ["c", "b"]):
        assert (
            blocks.handle_streaming_diffs(event, [*step], "tab", "run", final=False, simple_format=True)
            == step
        )
    assert blocks.handle_streaming_diffs(event, ["a", "b"], None, None, final=False) == ["a", "b"]
