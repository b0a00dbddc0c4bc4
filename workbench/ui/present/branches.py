"""Show the branches of a session as rows of a small tree."""

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
"""Longer labels are cut."""
MOST_ROWS: Final = 200
"""The tree shows this many branches. The arrows next to the messages reach all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchRow:
    """One branch of the session."""

    message_id: str
    """The first message of the branch. Opening it shows its newest leaf."""
    depth: int
    """Indentation level, from 0."""
    role: str
    """`system`, `user`, `model` or `tool`."""
    label: str
    """The calls of the first message, or its text."""
    note: str
    """The number of messages, and how many siblings make the same calls."""
    is_open: bool
    """True if the shown path contains this branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedRow:
    """A deleted message, together with the messages after it."""

    message_id: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchesView:
    """The line above the transcript and the tree of branches that it opens."""

    message_id: str = ""
    """The last shown message. Empty if there are no messages."""
    summary: str = ""
    """Number of branches and of deleted messages. Empty if the line is hidden."""
    is_known: bool = False
    """False if the rows have not been loaded. Opening the tree loads them."""
    agreement: str = ""
    """How many answers agree. Empty if there are no alternative answers."""
    rows: tuple[BranchRow, ...] = ()
    """From top to bottom."""
    deleted: tuple[DeletedRow, ...] = ()
    """Deleted messages that can be restored, the last deleted first."""


def ask_branches(
    tree: Sequence[TreeNode], shown_id: str | None, deleted: Sequence[DeletedMessages] = ()
) -> BranchesView:
    """Return the line above the transcript, without the rows of the tree."""
    if shown_id is None:
        return BranchesView()
    return BranchesView(
        message_id=shown_id,
        summary=_summary(count_leaves(tree), deleted),
        deleted=tuple(map(_deleted, deleted)),
    )


def show_branches(
    branch_tree: BranchTree, shown_id: str, deleted: Sequence[DeletedMessages] = ()
) -> BranchesView:
    """Return the line above the transcript with the rows of the tree."""
    return BranchesView(
        message_id=shown_id,
        summary=_summary(branch_tree.leaf_count, deleted),
        deleted=tuple(map(_deleted, deleted)),
        is_known=True,
        agreement=agreement_words(branch_tree.agreement) if branch_tree.agreement else "",
        rows=tuple(map(_row, branch_tree.branches[:MOST_ROWS])),
    )


def agreement_words(agreement: SampleAgreement) -> str:
    """Format how many samples agree and on which calls.

    >>> agreement_words(Agreement(agreeing=3, count=4, calls=()))
    '3 of 4 answers agree (75 %): no call'
    """
    calls = _calls(agreement.calls) or "no call"
    share = round(agreement.share * 100)
    return f"{agreement.agreeing} of {agreement.count} answers agree ({share} %): {calls}"


def _summary(leaves: int, deleted: Sequence[DeletedMessages]) -> str:
    parts = (
        count(leaves, "branch", "branches") if leaves > 1 else "",
        f"{count(sum(item.count for item in deleted), 'message')} deleted" if deleted else "",
    )
    return " · ".join(filter(None, parts))


def _deleted(item: DeletedMessages) -> DeletedRow:
    role = "model" if item.role is Role.ASSISTANT else item.role.value
    rest = f" and {item.count - 1:,} more" if item.count > 1 else ""
    return DeletedRow(message_id=item.message_id, label=f"{role}: {_cut(item.excerpt)}{rest}")


def _row(branch: Branch) -> BranchRow:
    is_model = branch.role is Role.ASSISTANT
    label = _calls(branch.sample.calls) if is_model else ""
    agreement = f" · {branch.agreeing} of {branch.beside} agree" if is_model else ""
    return BranchRow(
        message_id=branch.message_id,
        depth=branch.depth,
        role="model" if is_model else branch.role.value,
        label=label or _cut(branch.sample.text if is_model else branch.text) or "(empty)",
        note=f"{count(branch.message_count, 'message')}{agreement}",
        is_open=branch.is_open,
    )


def _calls(calls: Sequence[ToolCall]) -> str:
    return _cut(", ".join(f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}" for call in calls))


def _cut(text: str) -> str:
    line = " ".join(text[: LABEL_CHARS * 4].split())
    return line if len(line) <= LABEL_CHARS else line[: LABEL_CHARS - 1] + "…"
