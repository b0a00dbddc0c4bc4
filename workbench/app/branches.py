"""Summarize a session's branches as a small tree: where paths diverge, and what each branch contains."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.app.samples import Sample, SampleAgreement, agreement_of, calls_key, sample_of
from workbench.chat.message import Role
from workbench.records.corpus.material import SessionMaterial
from workbench.records.session_tree import newest_leaf
from workbench.records.sessions import TreeNode
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One of several continuations of the same message."""

    message_id: str
    """The first message of the branch."""
    depth: int
    """The number of forks above it."""
    role: Role
    """Role of the first message."""
    sample: Sample
    text: str
    """Text of the first message."""
    message_count: int
    """Messages until the branch ends or forks again."""
    is_open: bool
    """True if the shown path goes through the branch."""
    agreeing: int
    """How many branches of this fork make the same calls, including this one."""
    beside: int
    """How many branches the fork has, including this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchTree:
    """All branches of a session."""

    branches: tuple[Branch, ...]
    """Each branch comes before the branches below it. Siblings are ordered by creation time."""
    leaf_count: int
    agreement: SampleAgreement | None
    """Agreement of the answers at the last fork of the shown path. None if no answers fork there."""


def count_leaves(tree: Sequence[TreeNode]) -> int:
    """Return the number of leaves of a tree."""
    parents = {node.parent_id for node in tree}
    return sum(node.id not in parents for node in tree)


def branches_of(
    tree: Sequence[TreeNode], material: SessionMaterial, tools: OfferedTools, *, shown_id: str | None
) -> BranchTree:
    """Return the branches of a session.

    Args:
        tree: All messages of the session.
        material: The same messages with their texts.
        shown_id: The last message that is shown. None without messages.
    """
    below: dict[str | None, list[TreeNode]] = {}
    for node in tree:
        below.setdefault(node.parent_id, []).append(node)
    shown = {message.id for message in material.path(shown_id)}
    walk = _Walk(tree=tree, below=below, material=material, tools=tools, shown=shown)
    branches = tuple(walk.branches())
    open_answers = [branch for branch in branches if branch.is_open and branch.role is Role.ASSISTANT]
    last = open_answers[-1].message_id if open_answers else None
    siblings = [
        branch.sample for branch in branches if last and _parent(tree, branch) == _parent_of(tree, last)
    ]
    return BranchTree(branches=branches, leaf_count=count_leaves(tree), agreement=agreement_of(siblings))


def _parent(tree: Sequence[TreeNode], branch: Branch) -> str | None:
    return _parent_of(tree, branch.message_id)


def _parent_of(tree: Sequence[TreeNode], message_id: str) -> str | None:
    return next(node.parent_id for node in tree if node.id == message_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    tree: Sequence[TreeNode]
    below: Mapping[str | None, Sequence[TreeNode]]
    material: SessionMaterial
    tools: OfferedTools
    shown: set[str]

    def branches(self) -> Iterator[Branch]:
        """Yield all branches, each before the branches below it."""
        # A stack instead of recursion, because a path may have a thousand forks.
        stack = [self._next_fork(None, 0)]
        while stack:
            branch = next(stack[-1], None)
            if branch is None:
                stack.pop()
                continue
            yield branch
            stack.append(self._next_fork(branch.message_id, branch.depth + 1))

    def _next_fork(self, parent_id: str | None, depth: int) -> Iterator[Branch]:
        """Yield the branches of the first fork below a message."""
        nodes = self.below.get(parent_id, ())
        while len(nodes) == 1:
            nodes = self.below.get(nodes[0].id, ())
        samples = [self._sample(node) for node in nodes]
        key_counts = Counter(map(calls_key, samples))
        for node, sample in zip(nodes, samples, strict=True):
            yield Branch(
                message_id=node.id,
                depth=depth,
                role=node.role,
                sample=sample,
                text=self.material.by_id[node.id].message.text,
                message_count=self._length(node),
                is_open=node.id in self.shown,
                agreeing=key_counts[calls_key(sample)],
                beside=len(nodes),
            )

    def _sample(self, node: TreeNode) -> Sample:
        path = self.material.path(newest_leaf(self.tree, node.id))
        return sample_of(path, node.id, self.tools)

    def _length(self, node: TreeNode) -> int:
        count, nodes = 1, self.below.get(node.id, ())
        while len(nodes) == 1:
            count, nodes = count + 1, self.below.get(nodes[0].id, ())
        return count
