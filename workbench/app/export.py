"""Export sessions as ShareGPT rows, or as a recording that the engine `replay:FILE` answers from."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.library.datasets.session_export import SessionDone, chosen_ids, export_rows
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.sessions import without_ephemeral
from workbench.rollout.events import recording_row
from workbench.rollout.ports import FinishReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Exported rows, and what was skipped."""

    text: str
    """JSON Lines: one row per line, each line ends with a newline."""
    row_count: int
    left_out: tuple[str, ...]
    """One line for each skipped session or row: its id and the reason."""


def export_sharegpt(services: Services, session_ids: Sequence[str] | None = None) -> Export:
    """Export the open path of each session as a ShareGPT row.

    Args:
        session_ids: The sessions to export. None exports all that were not discarded.

    Raises:
        BadInput: A session does not exist.
        StoreError: The store cannot be read.
    """
    lines: list[str] = []
    left_out: list[str] = []
    for done in export_rows(services.corpus, ExportOptions(choice=choice_of(services, session_ids))):
        lines.extend(json.dumps(result.row, ensure_ascii=False) + "\n" for result in done.rows if result.row)
        left_out.extend(lines_of(done))
    return Export(text="".join(lines), row_count=len(lines), left_out=tuple(left_out))


def choice_of(services: Services, session_ids: Sequence[str] | None) -> SessionFilter:
    """Return a filter for these sessions, discarded or not. None stands for all that were not discarded.

    Raises:
        BadInput: A session does not exist.
        StoreError: The store cannot be read.
    """
    if session_ids is None:
        return SessionFilter()
    for session_id in session_ids:
        if services.sessions.find_session(session_id) is None:
            raise BadInput(
                f"session {session_id!r}",
                "there is no such session",
                "`workbench sessions list` lists them",
            )
    return SessionFilter(session_ids=tuple(session_ids), includes_discarded=True)


def lines_of(done: SessionDone) -> list[str]:
    """Return a line for each reason why a session or one of its rows is skipped, with the position if known."""
    return [
        f"session {done.session_id}: {blocker.message}" + (f" ({blocker.pointer})" if blocker.pointer else "")
        for blocker in done.all_obstacles
    ]


def record(services: Services, choice: SessionFilter) -> Export:
    """Export the completions of the chosen sessions as a recording for the engine `replay:FILE`.

    Completions that were stopped or interrupted are skipped.

    Raises:
        StoreError: The store cannot be read.
    """
    lines: list[str] = []
    left_out: list[str] = []
    for session_id in chosen_ids(services.corpus, choice):
        for message in services.sessions.path(session_id):
            stored = without_ephemeral(message)
            generation = stored.generation
            if generation is None:
                continue
            if generation.finish_reason in (
                FinishReason.CANCELLED,
                FinishReason.TIMEOUT,
                FinishReason.INTERRUPTED,
            ):
                left_out.append(
                    f"session {session_id}: a completion is incomplete ({generation.finish_reason})"
                )
                continue
            row = recording_row(generation, stored.message)
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return Export(text="".join(lines), row_count=len(lines), left_out=tuple(left_out))
