"""A session's branches as rows of a small tree."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.app.branches import Branch, BranchTree, count_leaves
from workbench.app.samples import SampleAgreement
from workbench.chat.message import Role, ToolCall
from workbench.records.sessions import DeletedMessages, TreeNode
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
class DeletedRow:
    """A message that was deleted, with all that followed it."""

    message_id: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchesView:
    """The line above the transcript, and the tree that it opens."""

    message_id: str = ""
    """The last message that is shown; empty while there is none."""
    summary: str = ""
    """How many ends there are, and what was deleted; empty where nothing is to be drawn."""
    is_known: bool = False
    """False: the tree is asked for once it is opened."""
    agreement: str = ""
    """How far the answers agree; empty where none part."""
    rows: tuple[BranchRow, ...] = ()
    """From top to bottom."""
    deleted: tuple[DeletedRow, ...] = ()
    """What can be brought back, last deleted first."""


def ask_branches(
    tree: Sequence[TreeNode], shown_id: str | None, deleted: Sequence[DeletedMessages] = ()
) -> BranchesView:
    """The line; its tree is not known yet."""
    if shown_id is None:
        return BranchesView()
    return BranchesView(
        message_id=shown_id,
        summary=_summary(count_leaves(tree), deleted),
        deleted=tuple(map(_deleted, deleted)),
    )


def show_branches(made: BranchTree, shown_id: str, deleted: Sequence[DeletedMessages] = ()) -> BranchesView:
    """The line with its tree."""
    return BranchesView(
        message_id=shown_id,
        summary=_summary(made.leaf_count, deleted),
        deleted=tuple(map(_deleted, deleted)),
        is_known=True,
        agreement=agreement_words(made.agreement) if made.agreement else "",
        rows=tuple(map(_row, made.branches[:MOST_ROWS])),
    )


def agreement_words(agreement: SampleAgreement) -> str:
    """How far samples agree, as a line.

    >>> agreement_words(Agreement(agreeing=3, count=4, calls=()))
    '3 of 4 answers agree (75 %): no call'
    """
    told = _calls(agreement.calls) or "no call"
    share = round(agreement.share * 100)
    return f"{agreement.agreeing} of {agreement.count} answers agree ({share} %): {told}"


def _summary(leaves: int, deleted: Sequence[DeletedMessages]) -> str:
    parts = (
        count(leaves, "branch", "branches") if leaves > 1 else "",
        f"{count(sum(one.count for one in deleted), 'message')} deleted" if deleted else "",
    )
    return " · ".join(filter(None, parts))


def _deleted(one: DeletedMessages) -> DeletedRow:
    who = "model" if one.role is Role.ASSISTANT else one.role.value
    rest = f" and {one.count - 1:,} behind it" if one.count > 1 else ""
    return DeletedRow(message_id=one.message_id, label=f"{who}: {_cut(one.excerpt)}{rest}")


def _row(branch: Branch) -> BranchRow:
    is_model = branch.role is Role.ASSISTANT
    label = _calls(branch.sample.calls) if is_model else ""
    alike = f" · {branch.agreeing} of {branch.beside} alike" if is_model else ""
    return BranchRow(
        message_id=branch.message_id,
        depth=branch.depth,
        role="model" if is_model else branch.role.value,
        label=label or _cut(branch.sample.text if is_model else branch.text) or "nothing",
        note=f"{count(branch.message_count, 'message')}{alike}",
        is_open=branch.is_open,
    )


def _calls(calls: Sequence[ToolCall]) -> str:
    return _cut(", ".join(f"{one.name} {json.dumps(one.arguments, ensure_ascii=False)}" for one in calls))


def _cut(text: str) -> str:
    line = " ".join(text[: LABEL_CHARS * 4].split())
    return line if len(line) <= LABEL_CHARS else line[: LABEL_CHARS - 1] + "…"
