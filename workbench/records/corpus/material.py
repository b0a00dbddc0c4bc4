"""Everything about a session that an export needs: messages, sources, labels, votes, and the filter of sessions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final

from workbench.chat.message import Message
from workbench.records.comparisons import NO_PREFERENCES, Preferences
from workbench.records.labels.label import Label
from workbench.records.labels.project import QueueState
from workbench.records.run_config import RunConfig
from workbench.records.session_tree import path_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportBlocker:
    """One reason."""

    code: str
    """Stable word from `docs/reference/formats.md`, or one of the validator's."""
    message: str
    """What is wrong, where, and what to do."""
    message_id: str | None = None
    """The message of the session; None where none is meant alone."""
    pointer: str = ""
    """JSON pointer into the row; empty for all of it, or where there is none yet."""
    is_defect: bool = True
    """False: nothing is wrong, the session is not ready, or was not asked for."""


def not_ready(code: str, message: str, message_id: str | None = None) -> ExportBlocker:
    """A session that is no row yet."""
    return ExportBlocker(code=code, message=message, message_id=message_id, is_defect=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """What a session must be or have; None and empty ask nothing. All that is asked must hold.

    Rollouts of suites are not among them, unless their ids or a state of labelling is asked for.
    """

    session_ids: tuple[str, ...] | None = None
    tag: str | None = None
    """One of its tags, or of its labels'."""
    verdict: str | None = None
    """Some label that counts says so; a `Verdict`. Where a label decides, it alone counts at its place."""
    min_rating: int | None = None
    """It was rated, and no rating that counts is lower."""
    max_rating: int | None = None
    """It was rated, and no rating that counts is higher."""
    state: QueueState | None = None
    """So far is its labelling; pending also what was never given to anybody."""
    project: str | None = None
    """The labelling project whose labels and queue count; None takes those of all projects."""
    contract: str | None = None
    """Name of its contract, or the beginning of the hash of the contract's text, of 6 signs or more."""
    model: str | None = None
    """Name of an engine that wrote in it."""
    since: datetime | None = None
    """Last used then or later; aware."""
    until: datetime | None = None
    """Last used before; aware."""
    includes_discarded: bool = False
    """Whether sessions that labellers discarded are taken too; those of `state` discarded always are."""


EVERYTHING: Final = SessionFilter()
"""All sessions that nobody discarded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationSource:
    """What a model's message came from."""

    engine_name: str
    engine_fingerprint: str
    tools_fingerprint: str
    contract_fingerprint: str | None
    """Tells the contract; None where there was none."""
    finish_reason: str
    """Why it ended; a `FinishReason`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportMessage:
    """A message, without its prompt."""

    id: str
    parent_id: str | None
    """The message before it; None for a root."""
    original_id: str
    """The message whose labels it shares: itself, but of a copy on another branch."""
    message: Message
    """Role and text, byte for byte."""
    made_with: GenerationSource | None = None
    """Of a model's message; None for all others, and for those that were imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRow:
    """The row that a session was made of."""

    format: str
    row_text: str
    """The row as JSON."""
    digest: str
    """SHA-256 (hex) of its canonical JSON."""
    file: str
    number: int
    """Its place there, from 1."""
    message_ids: tuple[str, ...]
    """The session's message for each message of the row's trajectory, in order."""
    rejected_ids: tuple[str, ...] = ()
    """The same for the answer that was not chosen."""


@dataclass(frozen=True, kw_only=True)
class SessionMaterial:
    """One session with all its branches."""

    session_id: str
    title: str
    """For a person."""
    setup: RunConfig
    """As last used."""
    leaf_id: str | None
    """The last message of the path that is shown."""
    messages: Sequence[ExportMessage]
    """Of all branches; a parent before its children."""
    labels: Sequence[Label] = ()
    """In the order in which they were made."""
    stale: Collection[str] = frozenset()
    """Ids of messages, on any branch, that a correction above them has overtaken."""
    is_discarded: bool = False
    """Whether labellers put it aside."""
    imported: ImportedRow | None = None
    """Where it comes from; None where it was played here."""
    preferences: Preferences = NO_PREFERENCES
    """What was voted on its turns."""

    @cached_property
    def by_id(self) -> Mapping[str, ExportMessage]:
        """Its messages."""
        return {one.id: one for one in self.messages}

    def path(self, leaf_id: str | None) -> tuple[ExportMessage, ...]:
        """The messages from the root to that one; empty for None.

        Raises:
            StoreError: The messages do not form a tree.
        """
        if leaf_id is None:
            return ()
        return tuple(self.by_id[one] for one in path_ids(self._parents, leaf_id, self.session_id))

    @cached_property
    def _parents(self) -> Mapping[str, str | None]:
        return {one.id: one.parent_id for one in self.messages}


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedSession:
    """A session whose row cannot be read."""

    session_id: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewImport:
    """A row on its way to becoming a session."""

    setup: RunConfig
    """Tools and contract as the row has them."""
    messages: tuple[Message, ...]
    """The oldest first."""
    rejected: tuple[Message, ...] = ()
    """An answer that was not chosen: a branch beside the one that was."""
    answer_start: int = 0
    """Index of the message beside which the rejected answer begins."""
    format: str
    fields: Mapping[str, object] = field(hash=False)
    file: str
    number: int
    """Its place there, from 1."""
    tags: tuple[str, ...] = ()
    is_queued: bool = False
    """Whether it goes into the labelling queue, as pending."""
