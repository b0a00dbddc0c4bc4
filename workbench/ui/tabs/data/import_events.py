"""Import a file of rows."""

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import gradio as gr

from workbench.ui.permissions import needs
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.records.owner import Permission
from workbench.library.datasets.row_import import ImportOptions, RowImported, import_rows
from workbench.library.datasets.file_row import ReadLimits
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.ui.owners import services_of
from workbench.ui.present.data import (
    MOST_FINDINGS,
    FindingLine,
    FindingsView,
    JobView,
    imported_line,
    show_job,
)
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.sessions import SessionsView
from workbench.ui.present.words import count
from workbench.ui.tabs.data.events import BUSY, UPDATES_PER_SECOND
from workbench.ui.tabs.data.form import Jobs
from workbench.ui.tabs.play.screen import list_sessions
from workbench.ui.tab_state import TabState

SPACE_LIMITS: Final = ReadLimits(unpacked_bytes=60_000_000, row_bytes=2_000_000, row_containers=20_000)
"""Limits of a file from a Space's visitor. Unpacked, it may be three times as large as packed."""
UPLOAD_LIMITS: Final = ReadLimits(unpacked_bytes=2_000_000_000, row_bytes=16_000_000, row_containers=200_000)
"""Limits of any other file on the page; `workbench import` reads larger ones."""


class ImportScreen(NamedTuple):
    """An update of the tab; components that it leaves out stay unchanged."""

    job: JobView | Update = SAME
    notice: NoticeView | Update = SAME
    findings: FindingsView | Update = SAME
    sessions: SessionsView | Update = SAME
    """The session list of the Play tab."""
    file: Update = SAME
    """The file field, which is emptied after the import."""


@dataclass(frozen=True, slots=True)
class ImportEvents:
    """Handlers of the import."""

    services: Services
    jobs: Jobs

    @needs(Permission.WORK)
    def on_import(
        self,
        state: TabState,
        file: str | None,
        tag: str,
        is_queued: bool,
        read_as: str,
        request: gr.Request,
    ) -> Generator[ImportScreen]:
        """Create sessions from the rows of a file. Those created before a stop remain."""
        if not file:
            yield ImportScreen(
                notice=advice("Choose a file first: JSON Lines (plain or gzip), a JSON array, or Parquet.")
            )
            return
        services = services_of(self.services, state, request)
        name = Path(file).name
        options = ImportOptions(file=name, tags=tuple(filter(None, [tag.strip()])), is_queued=is_queued)
        counts: dict[str, int] = {"made": 0, "known": 0, "failed": 0}
        changes: Counter[str] = Counter()
        lines: list[FindingLine] = []
        shown_at_s = -1.0
        with self.jobs.job(request.session_hash or "") as stop:
            if stop is None:
                yield ImportScreen(notice=advice(BUSY))
                return
            try:
                for row in self._rows(services, file, read_as, options):
                    counts["made" if row.is_new else "known" if row.session_id else "failed"] += 1
                    changes.update({change.name for change in row.changes})
                    lines += filter(None, [imported_line(name, row)])
                    now_s = self.services.calendar.seconds()
                    if now_s - shown_at_s >= 1 / UPDATES_PER_SECOND:
                        shown_at_s = now_s
                        yield ImportScreen(
                            job=show_job("Importing", sum(counts.values()), 0, "row"), notice=CLEAR
                        )
                    if stop.is_set():
                        break
                notice = CLEAR
            except WorkbenchError as error:
                notice = problem(error)
        yield _ended(services, state, counts, changes, lines, notice)

    def _rows(
        self, services: Services, file: str, read_as: str, options: ImportOptions
    ) -> Iterator[RowImported]:
        limits = services.limits
        limits.check_import(Path(file).stat().st_size, file=options.file)
        unpacked = UPLOAD_LIMITS if limits.import_bytes is None else SPACE_LIMITS
        rows = islice(services.datasets.read(file, read_as, limits=unpacked), limits.import_rows)
        return import_rows(services.corpus, rows, services.setup_for(), options)


def _ended(
    services: Services,
    state: TabState,
    counts: dict[str, int],
    changes: Counter[str],
    lines: list[FindingLine],
    notice: NoticeView,
) -> ImportScreen:
    summary = [
        f"{count(counts['made'], 'session')} created",
        f"{count(counts['known'], 'row')} already imported",
        f"{count(counts['failed'], 'row')} not readable",
        *(f"{code} in {count(number, 'row')}" for code, number in sorted(changes.items())),
    ]
    shown = tuple(lines[:MOST_FINDINGS])
    return ImportScreen(
        job=JobView(label="Imported", note=" · ".join(summary)),
        notice=notice,
        findings=FindingsView(
            lines=shown, more=len(lines) - len(shown), heading="Rows", hint="Every row was imported."
        ),
        sessions=list_sessions(services, state),
        file=gr.update(value=None),
    )
