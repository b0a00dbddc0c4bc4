"""Check, export and push rows."""

import shutil
import tempfile
import zipfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple
from urllib.parse import quote

import gradio as gr

from workbench.ui.permissions import needs
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.records.owner import Permission
from workbench.ui.incoming.fields import id_of
from workbench.library.datasets.session_export import SessionDone, export_rows
from workbench.library.datasets.export_target import ExportSummary
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.settings import Secret
from workbench.ui.owners import services_of
from workbench.ui.present.data import (
    MOST_FINDINGS,
    MOST_ROWS,
    TEACHING,
    FindingLine,
    FindingsView,
    JobView,
    RowCard,
    RowsView,
    cards_of,
    findings_of,
    show_job,
    show_summary,
)
from workbench.ui.present.notices import CLEAR, NoticeLine, NoticeView, advice, problem
from workbench.ui.present.place import write_place
from workbench.ui.present.words import count
from workbench.ui.tabs.data.form import FILTERS, DataForm, Jobs, read_filters
from workbench.ui.tab_state import TabState

UPDATES_PER_SECOND: Final = 5
"""The most progress updates per second that a browser gets."""
BUSY: Final = "One job is under way already in this tab; wait for it or stop it."


SIGN_IN: Final = NoticeLine(
    word="note", text="Sign in with Hugging Face first. Rows are pushed from your account.", tone="quiet",
    link=f"login/huggingface?_target_url={quote('/' + write_place('data'), safe='')}", link_text="Sign in",
)  # fmt: skip
ENTER_TOKEN: Final = "Enter your Hugging Face access token. Only admins can push with the server's token."


class DataScreen(NamedTuple):
    """An update of the tab; components that it leaves out stay unchanged."""

    job: JobView | Update = SAME
    notice: NoticeView | Update = SAME
    findings: FindingsView | Update = SAME
    rows: RowsView | Update = SAME
    files: Update = SAME


@dataclass(slots=True)
class ImportPreview:
    """Findings and rows so far, up to the number that is shown."""

    lines: list[FindingLine] = field(default_factory=list[FindingLine])
    cards: list[RowCard] = field(default_factory=list[RowCard])
    more: int = 0

    def add(self, done: SessionDone) -> None:
        """Add the findings and rows of a session."""
        for line in findings_of(done):
            if len(self.lines) < MOST_FINDINGS:
                self.lines.append(line)
            else:
                self.more += 1
        if len(self.cards) < MOST_ROWS:
            self.cards.extend(cards_of(done))

    def screen(self, summary: ExportSummary) -> DataScreen:
        """Return the update that shows the findings and rows."""
        shown = tuple(self.cards[:MOST_ROWS])
        heading = f"The first {len(shown)} rows" if summary.rows > len(shown) else "Rows"
        return DataScreen(
            findings=FindingsView(
                lines=tuple(self.lines), more=self.more, heading="Findings",
                hint="No problems found.",
            ),
            rows=RowsView(rows=shown, heading=heading) if shown else TEACHING,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class DataEvents:
    """Handlers of the export."""

    services: Services
    jobs: Jobs

    @needs(Permission.WORK)
    def on_check(self, request: gr.Request, state: TabState, *values: object) -> Generator[DataScreen]:
        """Check the chosen sessions without writing files."""
        services = services_of(self.services, state, request)
        with self.jobs.job(request.session_hash or "") as stop:
            if stop is None:
                yield DataScreen(notice=advice(BUSY))
                return
            try:
                form, preview, summary = DataForm(*values), ImportPreview(), ExportSummary()  # pyright: ignore[reportArgumentType]  in the order of the fields
                options = form.export_options()
                split = form.target("").split
                total = services.corpus.count(options.choice)
                done = _counted(export_rows(services.corpus, options, split), summary)
                yield from self._run("Checking", done, preview, total, stop)
                yield self._ended(preview, summary, stop, is_written=False)
            except WorkbenchError as error:
                yield DataScreen(job=JobView(), notice=problem(error))

    @needs(Permission.WORK)
    def on_open_filter(self, event: gr.EventData) -> tuple[object, ...]:
        """Fill the form with the filters that an address names."""
        values, wrong = read_filters({name: id_of(event, name) for name in FILTERS})
        return (*values.values(), advice(" ".join(wrong)))

    @needs(Permission.WORK)
    def on_make(self, request: gr.Request, state: TabState, *values: object) -> Generator[DataScreen]:
        """Write files with receipt and dataset card, and offer them for download."""
        yield from self._make(request, state, values)

    @needs(Permission.WORK)
    def on_push(
        self,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
        state: TabState,
        repo: str,
        is_public: bool,
        token_text: str,
        *values: object,
    ) -> Generator[DataScreen]:
        """Write files and push them to a dataset on the Hub with the user's access token."""
        services = services_of(self.services, state, request)
        access_token = signed_in.token if signed_in else token_text.strip()
        if not access_token and not services.owner.may(Permission.USE_SERVER_TOKEN):
            is_on_space = services.settings.is_on_space
            yield DataScreen(notice=NoticeView(lines=(SIGN_IN,)) if is_on_space else advice(ENTER_TOKEN))
            return
        if not repo.strip() or not DataForm(*values).licence.strip():  # pyright: ignore[reportArgumentType]  in the order of the fields
            yield DataScreen(
                notice=advice("Before you push, enter a repository (OWNER/NAME) and the licence of the rows.")
            )
            return
        token = Secret(access_token) if access_token else None
        yield from self._make(request, state, values, _Push(repo.strip(), is_public, token))

    @needs(Permission.WORK)
    def on_stop(self, request: gr.Request) -> None:
        """Ask the job to stop."""
        self.jobs.stop(request.session_hash or "")

    def _make(
        self, request: gr.Request, state: TabState, values: tuple[object, ...], push: "_Push | None" = None
    ) -> Generator[DataScreen]:
        services = services_of(self.services, state, request)
        with self.jobs.job(request.session_hash or "") as stop, _folder() as folder:
            if stop is None:
                yield DataScreen(notice=advice(BUSY))
                return
            form, preview, summary = DataForm(*values), ImportPreview(), ExportSummary()  # pyright: ignore[reportArgumentType]  in the order of the fields
            try:
                options, target = form.export_options(), form.target(str(folder / "rows"))
                (folder / "rows").mkdir()
                total = services.corpus.count(options.choice)
                done = services.datasets.export(services.corpus, options, target, summary)
                yield from self._run("Writing rows", done, preview, total, stop)
                screen = self._ended(preview, summary, stop, is_written=True)
                if summary.files and push is not None:
                    yield DataScreen(job=JobView(label="Pushing", note=push.repo))
                    screen = screen._replace(notice=_pushed(services, summary, push))
                yield screen._replace(
                    files=gr.update(value=_files(folder, summary), visible=bool(summary.files))
                )
            except WorkbenchError as error:
                yield preview.screen(summary)._replace(job=JobView(), notice=problem(error))

    def _run(
        self, label: str, sessions: Generator[SessionDone], preview: ImportPreview, total: int, stop: Event
    ) -> Generator[DataScreen]:
        """Process sessions and yield progress; end early if the job is stopped."""
        shown_at_s = -1.0
        for number, done in enumerate(sessions, start=1):
            if stop.is_set():
                sessions.close()
                return
            preview.add(done)
            now_s = self.services.calendar.seconds()
            if now_s - shown_at_s >= 1 / UPDATES_PER_SECOND:
                shown_at_s = now_s
                yield DataScreen(job=show_job(label, number, total, "session"), notice=CLEAR)

    def _ended(
        self, preview: ImportPreview, summary: ExportSummary, stop: Event, *, is_written: bool
    ) -> DataScreen:
        if not summary.sessions:
            return DataScreen(
                job=JobView(), notice=advice("No sessions match these filters."), findings=FindingsView(),
                rows=TEACHING, files=gr.update(visible=False),
            )  # fmt: skip
        label = "Stopped" if stop.is_set() else "Written" if summary.files else "Checked"
        note = show_summary(summary, is_written=is_written and bool(summary.files))
        return preview.screen(summary)._replace(
            job=JobView(label=label, note=note), notice=advice("; ".join(summary.notes))
        )


class _Push(NamedTuple):
    repo: str
    is_public: bool
    token: Secret | None


def _counted(sessions: Iterable[SessionDone], summary: ExportSummary) -> Generator[SessionDone]:
    for done in sessions:
        summary.add(done)
        yield done


def _pushed(services: Services, summary: ExportSummary, push: _Push) -> NoticeView:
    if summary.receipt is None:
        raise BadInput("push", "the rows have no receipt", "fix the errors in the rows first")
    address = services.datasets.push(
        push.repo,
        summary.files,
        message=count(summary.rows, "row"),
        is_private=not push.is_public,
        token=push.token,
    )
    return advice(f"Pushed to {address}.")


@contextmanager
def _folder() -> Generator[Path]:
    """Create a temporary folder. It is deleted at the end, since Gradio copies the files it serves."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-rows-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _files(folder: Path, summary: ExportSummary) -> list[str]:
    """Return one archive of all files, followed by each file."""
    if not summary.files:
        return []
    archive = folder / "rows.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in summary.files:
            packed.write(file, Path(file).name)
    return [str(archive), *summary.files]
