"""The Models tab, with one download at a time."""

from collections.abc import Generator
from dataclasses import dataclass
from threading import Event, Lock
from typing import Final, NamedTuple

import gradio as gr
from gradio.blocks import Block
from gradio.events import Dependency

from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission, is_granted
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import TextField, heading
from workbench.ui.incoming.fields import id_of
from workbench.ui.listen import any_of, listen
from workbench.ui.owners import needs, role_of
from workbench.ui.present.models import (
    EMBEDDED,
    ModelRowsView,
    PullView,
    show_adapters,
    show_files,
    show_found,
    show_here,
    show_known,
    show_progress,
    show_pull_end,
)
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.tabs.play.screen import SAME, Update


class Pulls:
    """The download under way, if there is one."""

    def __init__(self) -> None:
        self._stop: Event | None = None
        self._tab = ""
        self._lock = Lock()

    def begin(self, tab: str) -> Event | None:
        """What stops the new download of a browser's tab; None where one is under way."""
        with self._lock:
            if self._stop is not None:
                return None
            self._stop, self._tab = Event(), tab
            return self._stop

    def stop(self, tab: str) -> None:
        """Asks the download to stop, where this tab began it."""
        with self._lock:
            if self._stop is not None and self._tab == tab:
                self._stop.set()

    def stop_all(self) -> None:
        """Asks it to stop, whoever began it."""
        with self._lock:
            if self._stop is not None:
                self._stop.set()

    def end(self) -> None:
        """There is none any more."""
        with self._lock:
            self._stop = None


LOOKS_PER_SECOND: Final = 5
"""A browser is told of a download's progress this often at most."""


NO_PLACE: Final = "Enter the folder that `workbench train` wrote, or a GGUF file."


class ModelsScreen(NamedTuple):
    """What an answer changes; what it leaves out stays as it is."""

    here: ModelRowsView | Update = SAME
    found: ModelRowsView | Update = SAME
    pull: PullView | Update = SAME
    notice: NoticeView | Update = SAME
    model: Update = SAME
    """The choices of the Play tab's model."""
    adapters: ModelRowsView | Update = SAME
    place_notice: NoticeView | Update = SAME
    """Of the field that names an adapter's place."""


@dataclass(frozen=True, slots=True)
class ModelsEvents:
    """Handlers of the tab."""

    services: Services
    pulls: Pulls
    """The download under way."""

    @needs(Permission.WORK)
    def on_open(self) -> ModelsScreen:
        """What is here, as it is now."""
        adapters = show_adapters(self.services.adapters.available())
        return ModelsScreen(here=self.here(), model=self._choices(), adapters=adapters)

    @needs(Permission.OPEN_FILES)
    def on_look(self, place: str, base: str) -> ModelsScreen:
        """The adapter at a place, with its receipt, above those that are known."""
        if not place.strip():
            return ModelsScreen(place_notice=advice(NO_PLACE))
        try:
            looked = self.services.adapters.describe(place.strip(), base)
        except WorkbenchError as error:
            return ModelsScreen(place_notice=problem(error))
        others = [one for one in self.services.adapters.available() if one.model != looked.model]
        return ModelsScreen(adapters=show_adapters([looked, *others]), place_notice=CLEAR)

    def bases(self) -> list[str]:
        """The models of this machine that something can be laid over; a path can be written."""
        own = [name for name in self.services.models.names() if name == EMBEDDED]
        return own + [one.name for one in self.services.hub.cached()]

    @needs(Permission.WORK)
    def on_find(self, words: str, request: gr.Request) -> ModelsScreen:
        """Repositories by words; the recommended ones without."""
        if not words.strip():
            return ModelsScreen(found=self.recommended(), notice=CLEAR)
        try:
            found = self.services.hub.find(words.strip(), with_token=self._may_use_token(request))
        except WorkbenchError as error:
            return ModelsScreen(notice=problem(error))
        return ModelsScreen(found=show_found(found, words.strip()), notice=CLEAR)

    @needs(Permission.WORK)
    def on_show(self, event: gr.EventData, request: gr.Request) -> ModelsScreen:
        """The files of a repository that was picked."""
        return self._files(id_of(event, "name"), with_token=self._may_use_token(request))

    @needs(Permission.MANAGE_MODELS)
    def on_pull(self, event: gr.EventData, request: gr.Request) -> Generator[ModelsScreen]:
        """Fetches a model, told as it comes; the tab's lists are as it left them at the end."""
        name = id_of(event, "name")
        stop = self.pulls.begin(request.session_hash or "")
        if stop is None:
            yield ModelsScreen(notice=advice("One download is under way already; wait for it or stop it."))
            return
        step, told_s = None, -1.0
        try:
            for step in self.services.hub.pull(name, is_cancelled=stop.is_set):
                now_s = self.services.calendar.seconds()
                if now_s - told_s >= 1 / LOOKS_PER_SECOND:
                    told_s = now_s
                    yield ModelsScreen(pull=show_progress(name, step), notice=CLEAR)
        except WorkbenchError as error:
            yield ModelsScreen(pull=show_pull_end(name, step), notice=problem(error))
            return
        finally:
            self.pulls.end()
        repository = "/".join(name.removeprefix("hf:").split("/")[:2])
        shown = self._files(repository, with_token=self._may_use_token(request))
        yield shown._replace(here=self.here(), pull=show_pull_end(name, step), model=self._choices())

    @needs(Permission.MANAGE_MODELS)
    def on_stop(self, request: gr.Request) -> None:
        """Asks the download to stop; what has come is kept."""
        self.pulls.stop(request.session_hash or "")

    @needs(Permission.MANAGE_MODELS)
    def on_delete(self, event: gr.EventData) -> ModelsScreen:
        """Deletes a model of the cache, which the browser has asked twice."""
        try:
            self.services.hub.delete(id_of(event, "name"))
        except WorkbenchError as error:
            return ModelsScreen(notice=problem(error))
        return ModelsScreen(here=self.here(), notice=CLEAR, model=self._choices())

    def _may_use_token(self, request: gr.Request) -> bool:
        """Whether the hub is asked with the server's token, which also shows what is private to its owner."""
        return is_granted(Permission.USE_SERVER_TOKEN, role_of(self.services.settings, request))

    @needs(Permission.WORK)
    def on_use(self, event: gr.EventData) -> tuple[Update, Update, NoticeView]:
        """The Play tab's model, and the tab itself."""
        name = id_of(event, "name")
        return gr.update(value=name), gr.update(selected="play"), CLEAR

    def here(self) -> ModelRowsView:
        """What can be chosen now."""
        models, hub = self.services.models, self.services.hub
        statuses = [models.status(name) for name in models.names()]
        return show_here(statuses, hub.cached(), chosen=self.services.settings.model)

    def recommended(self) -> ModelRowsView:
        """What to get where one does not know."""
        return show_known(self.services.hub.known())

    def _files(self, repository: str, *, with_token: bool) -> ModelsScreen:
        try:
            files = self.services.hub.files(repository, with_token=with_token)
        except WorkbenchError as error:
            return ModelsScreen(notice=problem(error))
        known = next((one for one in self.services.hub.known() if one.repository == repository), None)
        return ModelsScreen(found=show_files(repository, files, known), notice=CLEAR)

    def _choices(self) -> Update:
        return gr.update(choices=list(self.services.models.names()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsParts:
    """All parts of the tab."""

    here: Drawn
    place: TextField
    base: gr.Dropdown
    look: gr.Button
    adapters: Drawn
    place_notice: Drawn
    words: TextField
    find: gr.Button
    found: Drawn
    pull: Drawn
    notice: Drawn
    pulls: Pulls

    def screen(self, model: Block) -> list[Block]:
        """The parts that a `ModelsScreen` has values for, in its order."""
        return [self.here, self.found, self.pull, self.notice, model, self.adapters, self.place_notice]


def build(services: Services) -> ModelsParts:
    """Builds the tab; the hub is asked for nothing before a person does."""
    pulls = Pulls()
    events = ModelsEvents(services, pulls)
    with gr.Row(elem_id="models-columns"):
        with gr.Column(elem_id="models-here-column", elem_classes=["hw-column"], min_width=0):
            heading("Available models")
            here = Drawn("model_rows", elem_id="models-here")
            heading("Adapters")
            with gr.Row(elem_id="models-adapter", visible=not services.settings.is_on_space):
                place = TextField(
                    label="Adapter folder or GGUF file",
                    placeholder="runs/first",
                    elem_id="models-place",
                )
                base = gr.Dropdown(
                    events.bases(),
                    label="Base model",
                    allow_custom_value=True,
                    elem_id="models-base",
                    min_width=0,
                )
                look = gr.Button("Load", size="sm", elem_id="models-look")
            place_notice = Drawn("notice", elem_id="models-place-notice")
            adapters = Drawn("model_rows", elem_id="models-adapters")
        with gr.Column(elem_id="models-get-column", elem_classes=["hw-column"], min_width=0):
            heading("Download from the Hub")
            with gr.Row(elem_id="models-search"):
                words = TextField(
                    label="Model name",
                    placeholder="Hermes 3 8B",
                    show_label=False,
                    container=False,
                    elem_id="models-words",
                )
                find = gr.Button("Search", size="sm", elem_id="models-find")
            notice = Drawn("notice", elem_id="models-notice")
            pull = Drawn("pull_bar", elem_id="models-pull")
            found = Drawn("model_rows", events.recommended(), elem_id="models-found")
    return ModelsParts(
        here=here, place=place, base=base, look=look, place_notice=place_notice, adapters=adapters,
        words=words, find=find, found=found, pull=pull, notice=notice, pulls=pulls,
    )  # fmt: skip


def wire(
    parts: ModelsParts, services: Services, tab: gr.Tab, tabs: gr.Tabs, model: Block
) -> list[Dependency]:
    """Lets the parts answer.

    Args:
        tab: The tab itself; what is here is looked up each time that it is opened.
        tabs: All tabs: one that is used opens Play.
        model: The Play tab's model.

    Returns:
        What happens once a model was chosen, in any list.
    """
    events = ModelsEvents(services, parts.pulls)
    screen = parts.screen(model)
    listen(tab.select, events.on_open, [], screen)
    listen(any_of(parts.find.click, parts.words.submit), events.on_find, [parts.words], screen)
    asked = [parts.place, parts.base]
    listen(any_of(parts.look.click, parts.place.submit), events.on_look, asked, screen)
    listen(parts.found.event("show_repository"), events.on_show, [], screen)
    listen(parts.found.event("pull_model"), events.on_pull, [], screen)
    listen(parts.pull.event("stop_pull"), events.on_stop, is_queued=False)
    listen(parts.here.event("delete_model"), events.on_delete, [], screen)
    return [
        listen(rows.event("use_model"), events.on_use, [], [model, tabs, parts.notice])
        for rows in (parts.here, parts.found, parts.adapters)
    ]
