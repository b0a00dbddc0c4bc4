"""Summarise a session's branches as a small tree: where paths diverge, and what each contains."""

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
    """One way that a session goes from where it parts."""

    message_id: str
    """Its first message."""
    depth: int
    """How many partings stand above it."""
    role: Role
    """Whose its first message is."""
    sample: Sample
    text: str
    """Of its first message."""
    message_count: int
    """Messages on it until it ends or parts again."""
    is_open: bool
    """True where the path that is shown goes along it."""
    agreeing: int
    """How many of those that part there make the same calls as this one, itself among them."""
    beside: int
    """How many part there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchTree:
    """All branches of a session."""

    branches: tuple[Branch, ...]
    """A branch stands before those that part from it; siblings in the order of their making."""
    leaf_count: int
    agreement: SampleAgreement | None
    """Of the answers that part last on the path that is shown; None where no answers part."""


def count_leaves(tree: Sequence[TreeNode]) -> int:
    """How many ends a tree has."""
    parents = {node.parent_id for node in tree}
    return sum(node.id not in parents for node in tree)


def branches_of(
    tree: Sequence[TreeNode], material: SessionMaterial, tools: OfferedTools, *, shown_id: str | None
) -> BranchTree:
    """The branches of a session.

    Args:
        tree: All its messages.
        material: The same with their texts.
        shown_id: The last message that is shown.
    """
    below: dict[str | None, list[TreeNode]] = {}
    for node in tree:
        below.setdefault(node.parent_id, []).append(node)
    shown = {one.id for one in material.path(shown_id)}
    walk = _Walk(tree=tree, below=below, material=material, tools=tools, shown=shown)
    branches = tuple(walk.branches())
    parted = [one for one in branches if one.is_open and one.role is Role.ASSISTANT]
    last = parted[-1].message_id if parted else None
    beside = [one.sample for one in branches if last and _parent(tree, one) == _parent_of(tree, last)]
    return BranchTree(branches=branches, leaf_count=count_leaves(tree), agreement=agreement_of(beside))


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
        """All branches, each before those that part from it."""
        # Not by recursion: a session may part a thousand times along one path.
        waiting = [self._parting(None, 0)]
        while waiting:
            branch = next(waiting[-1], None)
            if branch is None:
                waiting.pop()
                continue
            yield branch
            waiting.append(self._parting(branch.message_id, branch.depth + 1))

    def _parting(self, parent_id: str | None, depth: int) -> Iterator[Branch]:
        """The branches that part first below a message."""
        nodes = self.below.get(parent_id, ())
        while len(nodes) == 1:
            nodes = self.below.get(nodes[0].id, ())
        samples = [self._sample(node) for node in nodes]
        alike = Counter(map(calls_key, samples))
        for node, sample in zip(nodes, samples, strict=True):
            yield Branch(
                message_id=node.id,
                depth=depth,
                role=node.role,
                sample=sample,
                text=self.material.by_id[node.id].message.text,
                message_count=self._length(node),
                is_open=node.id in self.shown,
                agreeing=alike[calls_key(sample)],
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
