"""Export sessions as ShareGPT rows, or as a recording that the engine `replay:FILE` answers from."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.library.datasets.session_export import SessionDone, chosen_ids, export_rows
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.rollout.events import recording_row
from workbench.rollout.ports import FinishReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Rows, and what was left out."""

    text: str
    """JSON Lines: one row a line, each ended by a newline."""
    row_count: int
    left_out: tuple[str, ...]
    """One line for each session that stays out: its id and why."""


def export_sharegpt(services: Services, session_ids: Sequence[str] | None = None) -> Export:
    """The open path of each session as a ShareGPT row.

    Args:
        session_ids: Which; None takes all that nobody discarded.

    Raises:
        BadInput: There is no session of such an id.
        StoreError: The store cannot be read.
    """
    lines: list[str] = []
    left_out: list[str] = []
    for done in export_rows(services.corpus, ExportOptions(choice=choice_of(services, session_ids))):
        lines.extend(json.dumps(one.row, ensure_ascii=False) + "\n" for one in done.rows if one.row)
        left_out.extend(lines_of(done))
    return Export(text="".join(lines), row_count=len(lines), left_out=tuple(left_out))


def choice_of(services: Services, session_ids: Sequence[str] | None) -> SessionFilter:
    """The sessions of these ids, whatever labellers think of them; None takes all that nobody discarded.

    Raises:
        BadInput: There is no session of such an id.
        StoreError: The store cannot be read.
    """
    if session_ids is None:
        return SessionFilter()
    for session_id in session_ids:
        if services.sessions.find_session(session_id) is None:
            raise BadInput(
                f"session {session_id!r}",
                "no such session",
                "`workbench export` without --session takes all",
            )
    return SessionFilter(session_ids=tuple(session_ids), includes_discarded=True)


def lines_of(done: SessionDone) -> list[str]:
    """Why a session, or a row of it, stays out: a line a reason, with its place in the row where it has one."""
    return [
        f"session {done.session_id}: {one.message}" + (f" ({one.pointer})" if one.pointer else "")
        for one in done.all_obstacles
    ]


def record(services: Services, choice: SessionFilter) -> Export:
    """The same of a choice of sessions.

    Raises:
        StoreError: The store cannot be read.
    """
    lines: list[str] = []
    left_out: list[str] = []
    for session_id in chosen_ids(services.corpus, choice):
        for kept in services.sessions.path(session_id):
            generation = kept.generation
            if generation is None:
                continue
            if generation.finish_reason in (FinishReason.CANCELLED, FinishReason.INTERRUPTED):
                left_out.append(
                    f"session {session_id}: a completion was not finished ({generation.finish_reason})"
                )
                continue
            row = recording_row(generation, kept.message)
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return Export(text="".join(lines), row_count=len(lines), left_out=tuple(left_out))
