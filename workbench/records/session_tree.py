"""The tree of a session's messages: paths, siblings, branches, and sessions that a search found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workbench.chat.finding import Span
from workbench.errors import StoreError
from workbench.records.sessions import ListedSession, MessageOrigin, TreeNode


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """What a session must have besides the words; None asks nothing."""

    has_fix: bool | None = None
    """Whether a message of it was repaired."""
    has_drop: bool | None = None
    """Whether a call block of it gave no call."""
    code: str | None = None
    """Code of a fix or finding of one of its messages."""
    verdict: str | None = None
    """Verdict on one of its messages or calls."""
    contract: str | None = None
    """Name of its contract, or the beginning of the contract's hash, of 6 signs or more."""
    model: str | None = None
    """Name of an engine that wrote in it."""
    tag: str | None = None
    """One of its tags, or of its labels'."""
    origin: MessageOrigin | None = None
    """Where the message with the words comes from; without words, any of its messages."""
    since: datetime | None = None
    """Last used then or later; aware."""
    until: datetime | None = None
    """Last used before; aware."""


NO_FILTER: Final = SearchFilter()
"""Asks nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A piece of a message around the words that were found."""

    text: str
    """On one line; an ellipsis where it was cut."""
    spans: tuple[Span, ...]
    """Where the words stand in it; empty where only a tool's name or a code was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSession:
    """One session that a search found."""

    session: ListedSession
    message_id: str | None
    """The newest message with the words; None where only its title or tags have them, or none were asked."""
    snippet: Snippet | None
    """Of that message; None where there is none."""


TREE_REMEDY: Final = "run `workbench db check` for all damage, then restore a backup or delete the session"
"""What to do about a session whose messages do not form a tree."""


def path_ids(parents: Mapping[str, str | None], leaf_id: str, session_id: str) -> tuple[str, ...]:
    """The ids from the root to a leaf.

    Args:
        parents: The parent of each message of the session; None of a root.
        leaf_id: The last message of the path.
        session_id: For the error.

    Raises:
        StoreError: A parent is not a message of the session, or the path comes back to itself.
    """
    found: dict[str, None] = {}
    message_id: str | None = leaf_id
    while message_id is not None:
        if message_id in found:
            raise _damaged(session_id, message_id, "is above itself: the parents form a cycle")
        if message_id not in parents:
            below = next(reversed(found), None)
            problem = (
                "is not in the session" if below is None else "follows a message that is not in the session"
            )
            raise _damaged(session_id, below or leaf_id, problem)
        found[message_id] = None
        message_id = parents[message_id]
    return tuple(reversed(found))


def check_tree(parents: Mapping[str, str | None], session_id: str) -> None:
    """Refuse messages that do not form a tree. A parent that is not among them is a root's.

    Args:
        parents: The parent of each message; None of a root.
        session_id: For the error.

    Raises:
        StoreError: Messages form a cycle.
    """
    cyclic = find_cyclic(parents)
    if cyclic:
        raise _damaged(session_id, min(cyclic), "is above itself: the parents form a cycle")


def find_cyclic(parents: Mapping[str, str | None]) -> frozenset[str]:
    """The messages that are in a cycle, or below one."""
    # Each message is visited once: a walk ends at a root or at a message that an earlier walk passed.
    state: dict[str, bool] = {}
    for start in parents:
        walked: dict[str, None] = {}
        message_id: str | None = start
        while (
            message_id is not None
            and message_id in parents
            and message_id not in state
            and message_id not in walked
        ):
            walked[message_id] = None
            message_id = parents[message_id]
        is_cyclic = message_id in walked or (message_id is not None and state.get(message_id, False))
        state.update(dict.fromkeys(walked, is_cyclic))
    return frozenset(message_id for message_id, is_cyclic in state.items() if is_cyclic)


def _damaged(session_id: str, message_id: str, problem: str) -> StoreError:
    return StoreError(f"session {session_id!r}, message {message_id!r}: it {problem}; {TREE_REMEDY}")


def siblings(tree: Sequence[TreeNode]) -> Mapping[str, tuple[str, ...]]:
    """By message, all that have the same parent, itself among them; in the order of the tree."""
    by_parent: dict[str | None, tuple[str, ...]] = {}
    for node in tree:
        by_parent[node.parent_id] = (*by_parent.get(node.parent_id, ()), node.id)
    return {node.id: by_parent[node.parent_id] for node in tree}


def children(tree: Sequence[TreeNode], message_id: str) -> tuple[str, ...]:
    """The messages right below one, in the order of the tree."""
    return tuple(node.id for node in tree if node.parent_id == message_id)


def newest_leaf(tree: Sequence[TreeNode], message_id: str) -> str:
    """The end of the branch below a message that was written last; itself where nothing follows it.

    Args:
        tree: The oldest message first, as the store gives it: a parent before its children.
        message_id: One of its messages.
    """
    below = {message_id}
    leaf = message_id
    for node in tree:
        if node.parent_id in below:
            below.add(node.id)
            leaf = node.id
    return leaf
