"""Convert sessions to rows one by one, in constant memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from workbench.records.corpus.conversations import ExportConversation, session_conversations
from workbench.records.corpus.material import (
    DamagedSession,
    ExportBlocker,
    SessionFilter,
    SessionMaterial,
    not_ready,
)
from workbench.records.corpus.row_result import RowResult, make_row
from workbench.records.corpus.session_rows import ExportOptions, ExportSource
from workbench.store.corpus.corpus import CorpusStore
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.sets.split import RowSplit
from workbench.trajectory.writing.argument_columns import ArgumentTypes

PAGE: Final = 200
"""Number of session ids that are read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDone:
    """Result of exporting one session."""

    session_id: str
    title: str = ""
    rows: tuple[RowResult, ...] = ()
    """Its rows, including those that must not be written."""
    obstacles: tuple[ExportBlocker, ...] = ()
    """Why it has no rows, or fewer than it could have."""
    split: str = ""
    """The split of all its rows; empty if there are no splits."""

    @property
    def all_obstacles(self) -> tuple[ExportBlocker, ...]:
        """The obstacles of the session and of its rows."""
        return (*self.obstacles, *(obstacle for row in self.rows for obstacle in row.obstacles))

    @property
    def has_defect(self) -> bool:
        """Whether something is wrong with it, not only unfinished."""
        return any(obstacle.is_defect for obstacle in self.all_obstacles)


class SessionReport(NamedTuple):
    """A session's result and the conversations to write as rows."""

    done: SessionDone
    conversations: tuple[ExportConversation, ...]


def chosen_ids(corpus: CorpusStore, choice: SessionFilter) -> Iterator[str]:
    """Yield the ids of all chosen sessions, in the order in which they were created."""
    for page in _pages(corpus, choice):
        yield from page


def _pages(corpus: CorpusStore, choice: SessionFilter) -> Iterator[Sequence[str]]:
    last: str | None = None
    while True:
        page = corpus.choose(choice, after=last, limit=PAGE)
        if page:
            yield page
        if len(page) < PAGE:
            return
        last = page[-1]


def export_rows(
    corpus: CorpusStore, options: ExportOptions, split: RowSplit | None = None
) -> Iterator[SessionDone]:
    """Yield each chosen session with its rows, or with the reasons why it has none.

    Raises:
        BadInput: The format is unknown.
        StoreError: The store cannot be read.
    """
    for report in _session_reports(corpus, options):
        rows = tuple(make_row(conversation, options) for conversation in report.conversations)
        # All rows of a session go to the split of its first conversation, so that similar sessions stay together.
        name = split.name_of(report.conversations[0].trajectory) if split and report.conversations else ""
        yield replace(report.done, rows=rows, split=name)


class FormChoice:
    """Finds out whether rows that were written with arguments as objects must be written again, as text.

    Only the written rows decide that. If the options or the format already do, no row is looked at.

    Args:
        options: The options of the export.
        mixes: As for `ArgumentTypes`.
    """

    def __init__(self, options: ExportOptions, *, mixes: bool = False) -> None:
        is_open = options.arguments == "auto" and options.row_options.arguments == "object"
        self._types = (
            ArgumentTypes(mixes=mixes)
            if is_open and format_named(options.format).has_object_arguments
            else None
        )

    def add(self, done: SessionDone) -> None:
        """Add the written rows of a session."""
        if self._types is None:
            return
        for result in done.rows:
            if result.row is not None:
                is_fixed = result.conversation.unchanged is not None
                self._types.add(result.conversation.trajectory, is_fixed=is_fixed)

    @property
    def needs_text(self) -> bool:
        """Whether arguments have several types, or are too large."""
        return self._types is not None and self._types.form == "text"


def with_text_arguments(options: ExportOptions) -> ExportOptions:
    """Return the options for writing the rows again, with arguments as text."""
    return replace(options, row_options=replace(options.row_options, arguments="text"))


def export_all(corpus: CorpusStore, options: ExportOptions) -> list[SessionDone]:
    """Return each chosen session with its rows. With `auto`, arguments are text if the rows have mixed types.

    Raises:
        BadInput: The format is unknown.
        StoreError: The store cannot be read.
    """
    found, choice = list(export_rows(corpus, options)), FormChoice(options)
    for done in found:
        choice.add(done)
    return list(export_rows(corpus, with_text_arguments(options))) if choice.needs_text else found


def _session_reports(corpus: CorpusStore, options: ExportOptions) -> Iterator[SessionReport]:
    for page in _pages(corpus, options.choice):
        for session_id, material in corpus.materials(page):
            yield _report(session_id, material, options)


def _report(
    session_id: str, material: SessionMaterial | DamagedSession | None, options: ExportOptions
) -> SessionReport:
    if isinstance(material, DamagedSession):
        damage = ExportBlocker(
            code="damaged-session", message=f"its record in the store is damaged: {material.problem}"
        )
        return SessionReport(SessionDone(session_id=session_id, obstacles=(damage,)), ())
    if material is None:
        gone = not_ready("gone", "it was deleted in the meantime")
        return SessionReport(SessionDone(session_id=session_id, obstacles=(gone,)), ())
    return _split_up(
        tuple(session_conversations(ExportSource(material, options))), session_id, material.title
    )


def _split_up(
    results: tuple[ExportConversation | ExportBlocker, ...], session_id: str, title: str
) -> SessionReport:
    obstacles = tuple(result for result in results if isinstance(result, ExportBlocker))
    conversations = tuple(result for result in results if isinstance(result, ExportConversation))
    return SessionReport(SessionDone(session_id=session_id, title=title, obstacles=obstacles), conversations)
