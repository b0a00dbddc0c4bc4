"""A session's branches, as rows of a small tree."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.message import Role, ToolCall
from workbench.desk.branches import Branch, BranchTree, count_leaves
from workbench.desk.kept import TreeNode
from workbench.desk.samples import Agreement
from workbench.ui.present.words import count

LABEL_CHARS: Final = 72
"""A label is cut there."""
MOST_ROWS: Final = 200
"""The tree shows this many branches; the arrows at the messages reach all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchRow:
    """One branch."""

    message_id: str
    """Its first message; opening it shows the newest end below."""
    depth: int
    """How far it is set in."""
    role: str
    """system, user, model or tool."""
    label: str
    """The calls that it makes, or what it says."""
    note: str
    """Its length, and how many of its siblings call the same."""
    is_open: bool
    """True where the path that is shown goes along it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchesView:
    """The line above the transcript, and the tree that it opens."""

    message_id: str = ""
    """The last message that is shown; empty while there is none."""
    summary: str = ""
    """How many ends there are; empty where there is one, and then nothing is drawn."""
    is_known: bool = False
    """False: the tree is asked for once it is opened."""
    agreement: str = ""
    """How far the answers agree; empty where none part."""
    rows: tuple[BranchRow, ...] = ()
    """From top to bottom."""


def ask_branches(tree: Sequence[TreeNode], shown_id: str | None) -> BranchesView:
    """The line; its tree is not known yet."""
    leaves = count_leaves(tree)
    if leaves < 2 or shown_id is None:
        return BranchesView()
    return BranchesView(message_id=shown_id, summary=count(leaves, "branch", "branches"))


def show_branches(made: BranchTree, shown_id: str) -> BranchesView:
    """The line with its tree."""
    return BranchesView(
        message_id=shown_id,
        summary=count(made.leaf_count, "branch", "branches"),
        is_known=True,
        agreement=agreement_words(made.agreement) if made.agreement else "",
        rows=tuple(map(_row, made.branches[:MOST_ROWS])),
    )


def agreement_words(agreement: Agreement) -> str:
    """How far samples agree, as a line.

    >>> agreement_words(Agreement(agreeing=3, count=4, calls=()))
    '3 of 4 answers agree (75 %): no call'
    """
    told = _calls(agreement.calls) or "no call"
    share = round(agreement.share * 100)
    return f"{agreement.agreeing} of {agreement.count} answers agree ({share} %): {told}"


def _row(branch: Branch) -> BranchRow:
    is_model = branch.role is Role.ASSISTANT
    label = _calls(branch.sample.calls) if is_model else ""
    alike = f" · {branch.agreeing} of {branch.beside} call the same" if is_model else ""
    return BranchRow(
        message_id=branch.message_id,
        depth=branch.depth,
        role="model" if is_model else branch.role.value,
        label=label or _cut(branch.sample.text if is_model else branch.text) or "nothing",
        note=count(branch.message_count, "message") + alike,
        is_open=branch.is_open,
    )


def _calls(calls: Sequence[ToolCall]) -> str:
    return _cut(", ".join(f"{one.name} {json.dumps(one.arguments, ensure_ascii=False)}" for one in calls))


def _cut(text: str) -> str:
    line = " ".join(text[: LABEL_CHARS * 4].split())
    return line if len(line) <= LABEL_CHARS else line[: LABEL_CHARS - 1] + "…"
