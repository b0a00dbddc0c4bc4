"""The tree of a session's messages: paths, siblings and branches; filters and results of a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workbench.chat.finding import Span
from workbench.errors import StoreError
from workbench.records.sessions import ListedSession, MessageOrigin, SessionSource, TreeNode


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Conditions for a search besides its words. None means no condition."""

    has_fix: bool | None = None
    """Whether one of its messages needed a fix."""
    has_drop: bool | None = None
    """Whether one of its call blocks gave no call."""
    code: str | None = None
    """Code of a fix or finding of one of its messages."""
    verdict: str | None = None
    """Verdict on one of its messages or calls."""
    contract: str | None = None
    """Name of its contract, or the first 6 or more characters of the contract's hash."""
    model: str | None = None
    """Name of an engine that generated one of its messages."""
    tag: str | None = None
    """One of its tags, or a tag of its labels."""
    source: SessionSource | None = None
    """Where the session comes from."""
    origin: MessageOrigin | None = None
    """Origin of the message with the words; without words, of any of its messages."""
    since: datetime | None = None
    """Last used at or after this time, with time zone."""
    until: datetime | None = None
    """Last used before this time, with time zone."""


NO_FILTER: Final = SearchFilter()
"""Matches every session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """An excerpt of a message around the words that were found."""

    text: str
    """On one line, with an ellipsis where text was left out."""
    spans: tuple[Span, ...]
    """Positions of the words; empty if only a tool's name or a code was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSession:
    """A session found by a search."""

    session: ListedSession
    message_id: str | None
    """Newest message with the words; None if only the title or tags have them, or if no words were given."""
    snippet: Snippet | None
    """Excerpt of that message; None if there is none."""


TREE_REMEDY: Final = "run `workbench db check` for all damage, then restore a backup or delete the session"
"""Advice for a session whose messages do not form a tree."""


def path_ids(parents: Mapping[str, str | None], leaf_id: str, session_id: str) -> tuple[str, ...]:
    """Return the ids from the root to a leaf.

    Args:
        parents: Parent of each message of the session; None for a root.
        leaf_id: The last message of the path.
        session_id: Id for the error message.

    Raises:
        StoreError: A parent is not in the session, or the parents form a cycle.
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
    """Raise if messages do not form a tree. A message whose parent is not among them counts as a root.

    Args:
        parents: Parent of each message; None for a root.
        session_id: Id for the error message.

    Raises:
        StoreError: Messages form a cycle.
    """
    cyclic = find_cyclic(parents)
    if cyclic:
        raise _damaged(session_id, min(cyclic), "is above itself: the parents form a cycle")


def find_cyclic(parents: Mapping[str, str | None]) -> frozenset[str]:
    """Return the messages that are in a cycle or below one."""
    # Each message is visited once: a walk ends at a root or at a message of an earlier walk.
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


def find_siblings(tree: Sequence[TreeNode]) -> Mapping[str, tuple[str, ...]]:
    """Return for each message all messages with the same parent, including itself, in the order of the tree."""
    by_parent: dict[str | None, tuple[str, ...]] = {}
    for node in tree:
        by_parent[node.parent_id] = (*by_parent.get(node.parent_id, ()), node.id)
    return {node.id: by_parent[node.parent_id] for node in tree}


def find_children(tree: Sequence[TreeNode], message_id: str) -> tuple[str, ...]:
    """Return the direct children of a message, in the order of the tree."""
    return tuple(node.id for node in tree if node.parent_id == message_id)


def newest_leaf(tree: Sequence[TreeNode], message_id: str) -> str:
    """Return the most recently written leaf below a message, or the message itself if nothing follows it.

    Args:
        tree: The oldest message first, as the store returns it, so that parents precede their children.
        message_id: One of its messages.
    """
    below = {message_id}
    leaf = message_id
    for node in tree:
        if node.parent_id in below:
            below.add(node.id)
            leaf = node.id
    return leaf
