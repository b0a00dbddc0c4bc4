"""All that the store knows of a session and a row may need."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from workbench.chat.message import Message
from workbench.records.comparisons import NO_PREFERENCES, Preferences
from workbench.records.labels.label import Label
from workbench.records.session_tree import path_ids
from workbench.records.setup import Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeWith:
    """What a model's message came from."""

    engine_name: str
    """As a person names the model."""
    engine_fingerprint: str
    """Tells the weights."""
    tools_fingerprint: str
    """Tells the offered tools."""
    contract_fingerprint: str | None
    """Tells the contract; None where there was none."""
    finish_reason: str
    """Why it ended; a `FinishReason`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldMessage:
    """A message, without its prompt."""

    id: str
    """Its own."""
    parent_id: str | None
    """The message before it; None for a root."""
    original_id: str
    """The message whose labels it shares: itself, but of a copy on another branch."""
    message: Message
    """Role and text, byte for byte."""
    made_with: MadeWith | None = None
    """Of a model's message; None for all others, and for those that were imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRow:
    """The row that a session was made of."""

    format: str
    """Name of the format that read it."""
    row_text: str
    """The row as JSON."""
    digest: str
    """SHA-256 (hex) of its canonical JSON."""
    file: str
    """Name of the file that it stood in."""
    number: int
    """Its place there, from 1."""
    message_ids: tuple[str, ...]
    """The session's message for each message of the row's trajectory, in order."""
    rejected_ids: tuple[str, ...] = ()
    """The same for the answer that was not chosen."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """One session with all its branches."""

    session_id: str
    """Its id."""
    title: str
    """For a person."""
    setup: Setup
    """As last used."""
    leaf_id: str | None
    """The last message of the path that is shown."""
    messages: Sequence[ToldMessage]
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
    def by_id(self) -> Mapping[str, ToldMessage]:
        """Its messages."""
        return {one.id: one for one in self.messages}

    def path(self, leaf_id: str | None) -> tuple[ToldMessage, ...]:
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
    """Its id."""
    problem: str
    """What of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewImport:
    """A row on its way to becoming a session."""

    setup: Setup
    """Tools and contract as the row has them."""
    messages: tuple[Message, ...]
    """The oldest first."""
    rejected: tuple[Message, ...] = ()
    """An answer that was not chosen: a branch beside the one that was."""
    answer_start: int = 0
    """Index of the message beside which the rejected answer begins."""
    format: str
    """Name of the format that read it."""
    fields: Mapping[str, object] = field(hash=False)
    """The row."""
    file: str
    """Name of the file that it stands in."""
    number: int
    """Its place there, from 1."""
    tags: tuple[str, ...] = ()
    """The session's."""
    is_queued: bool = False
    """Whether it goes into the labelling queue, as pending."""
