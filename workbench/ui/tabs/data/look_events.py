"""Open a data set as a picture, and find rows in it."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

import gradio as gr
import numpy as np

from workbench.ui.permissions import needs
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.app.services import Services
from workbench.app.session_scores import score_sessions
from workbench.chat.message import Role
from workbench.errors import BadInput, WorkbenchError
from workbench.library.datasets.opened_rows import OpenedRows
from workbench.library.datasets.file_row import FileRow
from workbench.library.datasets.session_export import export_rows
from workbench.library.datasets.set_diff import SetDiff
from workbench.records.corpus.conversations import ExportConversation
from workbench.records.corpus.material import SessionFilter
from workbench.records.facts import FactGroup
from workbench.records.owner import NotPermitted, Permission
from workbench.records.session_tree import SearchFilter
from workbench.records.sessions import SessionSource
from workbench.rollout.setting_field import NumberRange
from workbench.trajectory.compress import CountTokens, estimate_tokens
from workbench.trajectory.formats.known import WRITTEN
from workbench.trajectory.formats.shared.text_entries import bare_result, text_entries
from workbench.trajectory.sets.row_index import Rows, shuffled
from workbench.ui.incoming.fields import number_of, optional_number_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.present.data import JobView, RowsView, link_to, show_stored, with_scores
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.row_conditions import read_conditions
from workbench.ui.present.row_picture import (
    PAGE,
    FoundRowsView,
    PictureView,
    show_picture,
    show_row,
)
from workbench.ui.present.set_diff import SetDiffView, show_set_diff
from workbench.ui.present.words import count
from workbench.ui.tabs.data.events import BUSY, UPDATES_PER_SECOND
from workbench.ui.tabs.data.form import DataForm, Jobs
from workbench.ui.tabs.data.import_events import SPACE_LIMITS, UPLOAD_LIMITS
from workbench.ui.tabs.data.open_sets import OpenSet, OpenSets
from workbench.ui.tab_state import TabState

MAX_LENGTH: Final = NumberRange("Max length in tokens", 16, 10_000_000)
USUAL_LENGTH: Final = 4096
"""Max length at first."""
MOST_SCORED: Final = 50
"""How many recorded sessions are scored, the most recently used ones. `workbench sessions score` scores all."""
NOT_NEAR: Final = "Stopped: near duplicates are not among the findings. Open the file again to find them."
_MOST_CHARS: Final = 1_000
"""Maximum length of a text to search for."""


class LookScreen(NamedTuple):
    """An update of the page; components that it leaves out stay unchanged."""

    job: JobView | Update = SAME
    notice: NoticeView | Update = SAME
    diff: SetDiffView | Update | None = SAME
    picture: PictureView | Update | None = SAME
    found: FoundRowsView | Update | None = SAME
    stored: RowsView | Update = SAME


class LookForm(NamedTuple):
    """The fields of the page, in order."""

    file: str | None
    """The uploaded file."""
    path: str
    """A path on the server, which only the user of a local installation may enter."""
    other_file: str | None
    """The file to compare it with."""
    other_path: str
    read_as: str
    max_length: float | None
    tokenizer: str
    """A model whose tokenizer counts tokens. Empty for the estimate of `workbench stats`."""

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return Path(self.path.strip() or self.file or "").name


@dataclass(frozen=True, slots=True)
class LookEvents:
    """Handlers of the page."""

    services: Services
    jobs: Jobs
    sets: OpenSets = field(default_factory=OpenSets)

    @needs(Permission.WORK)
    def on_open(self, state: TabState, request: gr.Request) -> RowsView | Update:
        """Show what is stored and what went wrong in recorded sessions, unless a data set is open."""
        services = services_of(self.services, state, request)
        if self.sets.has(services.owner, request.session_hash or ""):
            return SAME
        try:
            view = show_stored(services.facts.totals(), services.facts.count(FactGroup.CODE))
            recorded = services.search.find("", SearchFilter(source=SessionSource.GATEWAY), limit=MOST_SCORED)
            ids = tuple(found.session.id for found in recorded)
            scores = score_sessions(services.owned, SessionFilter(session_ids=ids))
            return with_scores(view, scores.total, scores.by_model, scores.by_day)
        except WorkbenchError:
            # The charts are an extra; the buttons report what is wrong with the database.
            return SAME

    @needs(Permission.WORK)
    def on_look_file(self, request: gr.Request, state: TabState, *values: object) -> Generator[LookScreen]:
        """Open a file of rows as a picture."""
        form = LookForm(*values)  # pyright: ignore[reportArgumentType]  in the order of the fields
        services = services_of(self.services, state, request)
        yield from self._look(
            request, services, form, form.name, lambda opened: _read_file(services, form, opened)
        )

    @needs(Permission.WORK)
    def on_look_sessions(
        self, request: gr.Request, state: TabState, *values: object
    ) -> Generator[LookScreen]:
        """Open the chosen sessions as a picture, as rows of the chosen format, if sessions can be written in it."""
        size = len(LookForm._fields)
        form, data = LookForm(*values[:size]), DataForm(*values[size:])  # pyright: ignore[reportArgumentType]  in the order of the fields
        services = services_of(self.services, state, request)
        if form.read_as in WRITTEN:
            data = data._replace(format=form.read_as)
        form = form._replace(read_as=data.format)
        yield from self._look(
            request, services, form, "Stored sessions", lambda opened: _read_sessions(services, data, opened)
        )

    @needs(Permission.WORK)
    def on_compare(self, request: gr.Request, state: TabState, *values: object) -> Generator[LookScreen]:
        """Compare the file with the other file."""
        form = LookForm(*values)  # pyright: ignore[reportArgumentType]  in the order of the fields
        services = services_of(self.services, state, request)
        other = form._replace(file=form.other_file, path=form.other_path)
        with self.jobs.job(request.session_hash or "") as stop:
            if stop is None:
                yield LookScreen(notice=advice(BUSY))
                return
            with closing(SetDiff.of(form.name, other.name, form.read_as)) as diff:
                try:
                    for chosen, rows in ((form, diff.before), (other, diff.after)):
                        for share in _spaced(services, _read_file(services, chosen, rows)):
                            yield LookScreen(job=_reading(rows, share), notice=CLEAR)
                            if stop.is_set():
                                yield LookScreen(job=JobView())
                                return
                    diff.finish()
                    yield LookScreen(
                        job=JobView(), notice=CLEAR, diff=show_set_diff(diff), picture=None, found=None, stored=RowsView(),
                    )  # fmt: skip
                except WorkbenchError as error:
                    yield LookScreen(job=JobView(), notice=problem(error))

    @needs(Permission.WORK)
    def on_max_length(
        self, request: gr.Request, state: TabState, max_length: float | None
    ) -> PictureView | Update:
        """Draw the open data set again for another maximum length."""
        services = services_of(self.services, state, request)
        try:
            opened, serial = self.sets.get(services.owner, request.session_hash or "")
            return show_picture(opened, MAX_LENGTH.whole(max_length), serial=serial)
        except WorkbenchError:
            # Nothing is open, or the number is not complete yet.
            return SAME

    @needs(Permission.WORK)
    def on_find(self, request: gr.Request, state: TabState, event: gr.EventData) -> Generator[LookScreen]:
        """Find rows of the open data set: by conditions and a text, in the order of the file or in a random one."""
        services = services_of(self.services, state, request)
        asked = FoundRowsView(
            is_open=True,
            first=max(0, number_of(event, "first")),
            text=text_of(event, "text")[:_MOST_CHARS],
            seed=optional_number_of(event, "seed"),
        )
        try:
            opened, serial = self.sets.get(services.owner, request.session_hash or "")
            chosen, conditions = read_conditions(text_of(event, "conditions"))
            rows = opened.index.matching(chosen)
            if asked.seed is not None:
                rows = shuffled(rows, asked.seed)
            yield from _found(services, opened, rows, replace(asked, conditions=conditions, serial=serial))
        except WorkbenchError as error:
            yield LookScreen(job=JobView(), notice=problem(error))

    def _look(
        self,
        request: gr.Request,
        services: Services,
        form: LookForm,
        name: str,
        read: Callable[[OpenedRows], Iterator[float]],
    ) -> Generator[LookScreen]:
        tab = request.session_hash or ""
        with self.jobs.job(tab) as stop:
            if stop is None:
                yield LookScreen(notice=advice(BUSY))
                return
            opened = OpenedRows(name=name, read_as=form.read_as, finds_near=False)
            try:
                most_tokens = MAX_LENGTH.whole(form.max_length)
                opened.count_tokens = _counter(services, form.tokenizer)
                for share in _spaced(services, read(opened)):
                    yield LookScreen(job=_reading(opened, share), notice=CLEAR)
                    if stop.is_set():
                        opened.is_part = True
                        break
                yield self._opened(services, tab, opened, most_tokens)
                # `on_max_length` follows, and draws the picture with what was found.
                for share in _spaced(services, opened.find_near()):
                    yield LookScreen(job=_reading(opened, share, "Looking for near duplicates"))
                    if stop.is_set():
                        yield LookScreen(job=JobView(), notice=advice(NOT_NEAR))
                        return
                yield LookScreen(job=JobView())
            except WorkbenchError as error:
                opened.close()
                yield LookScreen(job=JobView(), notice=problem(error))

    def _opened(self, services: Services, tab: str, opened: OpenedRows, most_tokens: int) -> LookScreen:
        if not len(opened.index):
            opened.close()
            advised = f"{opened.name}: there are no rows. Choose another file, or other filters."
            return LookScreen(job=JobView(), notice=advice(advised))
        opened.finish()
        serial = services.calendar.now().timestamp()
        self.sets.put(services.owner, tab, OpenSet(opened, serial))
        return LookScreen(
            job=JobView(),
            notice=CLEAR,
            diff=None,
            picture=show_picture(opened, most_tokens, serial=serial),
            found=_page(opened, opened.index.all_rows, FoundRowsView(is_open=True, serial=serial)),
            stored=RowsView(),
        )


def _reading(opened: OpenedRows, share: float, label: str = "Reading") -> JobView:
    note = f"{opened.name}, {count(len(opened.index), 'row')}"
    return JobView(label=label, share=share, note=note, is_running=True)


def _read_file(services: Services, form: LookForm, opened: OpenedRows) -> Iterator[float]:
    path, limits = form.path.strip(), services.limits
    if path:
        _require_local(services)
        return opened.read_file(path)
    if not form.file:
        raise BadInput("file", "none is chosen", "choose JSON Lines (plain or gzip), a JSON array or Parquet")
    limits.check_import(Path(form.file).stat().st_size, file=opened.name)
    unpacked = UPLOAD_LIMITS if limits.import_bytes is None else SPACE_LIMITS
    return opened.read_file(form.file, unpacked, limits.import_rows)


def _read_sessions(services: Services, data: DataForm, opened: OpenedRows) -> Iterator[float]:
    """Add the rows of the chosen sessions as they are, with their errors."""
    options = replace(data.export_options(), is_raw=True)
    total = services.corpus.count(options.choice)
    for number, done in enumerate(export_rows(services.corpus, options), start=1):
        for result in done.rows:
            if result.row is not None:
                row = FileRow(len(opened.index) + 1, result.row, line=result.original)
                opened.add(row, link_to(done.session_id), _writers(result.conversation))
        yield number / max(total, number)


def _writers(conversation: ExportConversation) -> Mapping[str, int]:
    """Return the characters of each origin, without the system text."""
    found: Counter[str] = Counter()
    for message, origin in zip(conversation.trajectory.messages, conversation.origins, strict=False):
        if origin is not None and message.role is not Role.SYSTEM:
            for entry in text_entries((message,), bare_result):
                found[str(origin)] += len(entry.text)
    return found


def _counter(services: Services, tokenizer: str) -> CountTokens:
    if not tokenizer.strip():
        return estimate_tokens
    _require_local(services)
    engine = services.models.engine(tokenizer.strip())
    if not engine.capabilities.has_tokenizer:
        raise BadInput("tokenizer", f"{tokenizer.strip()!r} has none", "use a GGUF file")
    return engine.count_tokens


def _require_local(services: Services) -> None:
    if not services.owner.may(Permission.OPEN_ROW_FILES):
        raise NotPermitted(Permission.OPEN_ROW_FILES, services.owner.role)


def _found(services: Services, opened: OpenedRows, rows: Rows, view: FoundRowsView) -> Iterator[LookScreen]:
    """Yield progress, then the rows."""
    if view.text:
        matching: list[int] = []
        for share in _spaced(services, opened.search(rows, view.text, matching)):
            note = count(len(matching), "row")
            yield LookScreen(job=JobView(label="Searching", share=share, note=note), notice=CLEAR)
        rows = np.array(matching, dtype=np.int64)
    yield LookScreen(job=JobView(), notice=CLEAR, found=_page(opened, rows, view))


def _page(opened: OpenedRows, rows: Rows, view: FoundRowsView) -> FoundRowsView:
    first = min(view.first, max(0, (len(rows) - 1) // PAGE * PAGE))
    cards = tuple(show_row(opened, opened.open_row(place)) for place in rows[first : first + PAGE].tolist())
    return replace(view, total=len(rows), first=first, rows=cards)


def _spaced(services: Services, steps: Iterator[float]) -> Iterator[float]:
    """Yield a step now and then, as often as a browser should get progress."""
    shown_at_s = -1.0
    for share in steps:
        now_s = services.calendar.seconds()
        if now_s - shown_at_s >= 1 / UPDATES_PER_SECOND:
            shown_at_s = now_s
            yield share
