"""Turn sessions into rows one by one, in constant memory."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from workbench.records.corpus.conversations import ExportConversation, session_conversations
from workbench.records.corpus.material import DamagedSession, ExportBlocker, SessionFilter, not_ready
from workbench.records.corpus.row_result import RowResult, make_row
from workbench.records.corpus.session_rows import ExportOptions, ExportSource
from workbench.store.corpus import CorpusStore
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.sets.split import RowSplit
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.losses import ArgumentTypes

PAGE: Final = 200
"""Sessions that are chosen at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDone:
    """What became of one session."""

    session_id: str
    title: str = ""
    """For a person."""
    rows: tuple[RowResult, ...] = ()
    """Its rows, and those that must not be written."""
    obstacles: tuple[ExportBlocker, ...] = ()
    """Why there is no row of it, or not all."""
    split: str = ""
    """The split that all its rows go to; empty where there are none."""

    @property
    def all_obstacles(self) -> tuple[ExportBlocker, ...]:
        """Those of the session and those of its rows."""
        return (*self.obstacles, *(one for row in self.rows for one in row.obstacles))

    @property
    def has_defect(self) -> bool:
        """Whether something is wrong with it, rather than not ready."""
        return any(one.is_defect for one in self.all_obstacles)


class SessionReport(NamedTuple):
    """What was told of one session."""

    done: SessionDone
    conversations: tuple[ExportConversation, ...]


def chosen_ids(corpus: CorpusStore, choice: SessionFilter) -> Iterator[str]:
    """The ids of all chosen sessions, in the order in which they were made."""
    last: str | None = None
    while True:
        page = corpus.choose(choice, after=last, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        last = page[-1]


def export_rows(
    corpus: CorpusStore, options: ExportOptions, split: RowSplit | None = None
) -> Iterator[SessionDone]:
    """Each chosen session with its rows, or why there are none.

    Raises:
        BadInput: The format is not known.
        StoreError: The store cannot be read.
    """
    for told in _session_reports(corpus, options):
        rows = tuple(make_row(one, options) for one in told.conversations)
        # All rows of a session go by the conversation that is shown: sessions that begin alike stay together.
        group = _group(told.conversations)
        name = split.name_of(group) if split and group else ""
        yield replace(told.done, rows=rows, split=name)


def detect_argument_form(corpus: CorpusStore, options: ExportOptions) -> Literal["object", "text"]:
    """How arguments are best written, after a look at all rows: as text where kinds of values mix."""
    types = ArgumentTypes()
    if format_named(options.format).has_object_arguments:
        for told in _session_reports(corpus, options):
            for one in told.conversations:
                types.add(one.trajectory)
    return types.form


def _session_reports(corpus: CorpusStore, options: ExportOptions) -> Iterator[SessionReport]:
    for session_id in chosen_ids(corpus, options.choice):
        material = corpus.material(session_id)
        if isinstance(material, DamagedSession):
            damage = ExportBlocker(code="damaged-session", message=f"its row is damaged: {material.problem}")
            yield SessionReport(SessionDone(session_id=session_id, obstacles=(damage,)), ())
        elif material is None:
            gone = not_ready("gone", "it was deleted meanwhile")
            yield SessionReport(SessionDone(session_id=session_id, obstacles=(gone,)), ())
        else:
            yield _split_up(
                tuple(session_conversations(ExportSource(material, options))), session_id, material.title
            )


def _split_up(
    told: tuple[ExportConversation | ExportBlocker, ...], session_id: str, title: str
) -> SessionReport:
    obstacles = tuple(one for one in told if isinstance(one, ExportBlocker))
    conversations = tuple(one for one in told if isinstance(one, ExportConversation))
    return SessionReport(SessionDone(session_id=session_id, title=title, obstacles=obstacles), conversations)


def _group(conversations: tuple[ExportConversation, ...]) -> Trajectory | None:
    return conversations[0].trajectory if conversations else None
