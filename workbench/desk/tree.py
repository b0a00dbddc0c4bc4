"""A session's tree: which messages stand beside each other, and where a branch ends."""

from collections.abc import Mapping, Sequence

from workbench.desk.kept import TreeNode


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
