"""The page of the row formats agrees with the code."""

import re
from pathlib import Path

import pytest

from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.formats.known import FORMATS, WRITTEN
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Thought, Trajectory
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import Addition, Loss, RowOptions

PAGE = (Path(__file__).parents[2] / "docs/reference/formats.md").read_text(encoding="utf-8")
COLUMNS = dict.fromkeys(
    [
        "conversations",
        "messages",
        "tools",
        "text",
        "loss_spans",
        "prompt",
        "chosen",
        "rejected",
        "completion",
        "label",
        "system",
        "input",
        "functions",
    ],
    1,
)


def result(text, name, id=None):
    """Return a tool message."""
    return RowMessage(role=Role.TOOL, parts=(Result(text=text, name=name, id=id),))


def message(role, *parts, **more):
    """Return a message."""
    return RowMessage(role=role, parts=parts, **more)


EVERYTHING = Trajectory(
    messages=(
        message(Role.SYSTEM, Prose(text="Be brief.")),
        message(Role.USER, Prose(text="q"), is_trained=True),
        message(Role.ASSISTANT, Thought(text="hm"), Prose(text=" What?")),
        message(Role.USER, Prose(text="That.")),
        message(
            Role.ASSISTANT,
            Thought(text="hm"),
            Prose(text="Let me see. "),
            Call(name="f", arguments={"n": 2**70}, id="c1"),
            Thought(text="and"),
            Call(name="f", arguments={}, id="c2"),
        ),
        result("1", "f", "c1"),
        result("2", "f", "c2"),
        result("3", "other"),
        message(Role.ASSISTANT, Prose(text=" done"), Call(name="f", arguments={}, id="c3")),
    ),
    tools=OfferedTools(
        specs=(ToolSpec(document={"type": "function", "function": {"name": "f"}, "extra": 1}),)
    ),
    rejected=(message(Role.ASSISTANT, Prose(text="no")),),
    answer_start=8,
    label=False,
    columns=COLUMNS,
)
"""A trajectory with everything that some format cannot express."""


def section(name):
    """Return the text under the heading of a format."""
    return re.split(r"^## ", PAGE.split(f"## `{name}`\n")[1], flags=re.MULTILINE)[0]


def test_every_format_has_a_section():
    assert set(re.findall(r"^## `([\w-]+)`$", PAGE, re.MULTILINE)) == set(FORMATS)


def test_every_loss_and_addition_is_explained():
    table = set(re.findall(r"^\| `([a-z-]+)` \| (?:loss|addition) \|", PAGE, re.MULTILINE))
    assert table == {str(code) for code in (*Loss, *Addition)}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_section_of_a_format_lists_what_it_loses(name):
    documented = set(re.findall(r"`([a-z-]+)`", re.search(r"^Loses: (.*)$", section(name), re.MULTILINE)[1]))
    lost = {str(loss.code) for loss in write_row(EVERYTHING, FORMATS[name], RowOptions(label=True)).losses}
    assert documented == lost
