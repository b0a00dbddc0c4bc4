"""The Models tab, with one download at a time."""

from collections.abc import Generator
from dataclasses import dataclass
from threading import Event, Lock
from typing import Final, NamedTuple

import gradio as gr

from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission, is_granted
from workbench.rollout.models import Models
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import TextField
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.listen import any_of, listen
from workbench.ui.gradio_parts.names import Block, Dependency
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of
from workbench.ui.owners import permitted_to, role_of, serves_others, services_of
from workbench.ui.permissions import needs
from workbench.ui.present.model_servers import ModelServersView
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
from workbench.ui.shown_errors import shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.model_servers import list_model_servers, wire_servers


class Pulls:
    """The running download, if there is one."""

    def __init__(self) -> None:
        self._stop: Event | None = None
        self._tab = ""
        self._lock = Lock()

    def begin(self, tab: str) -> Event | None:
        """Start a download; return the event that stops it, or None if another one is running."""
        with self._lock:
            if self._stop is not None:
                return None
            self._stop, self._tab = Event(), tab
            return self._stop

    def stop(self, tab: str) -> None:
        """Ask the download to stop, if this browser tab started it."""
        with self._lock:
            if self._stop is not None and self._tab == tab:
                self._stop.set()

    def stop_all(self) -> None:
        """Ask the download to stop, regardless of who started it."""
        with self._lock:
            if self._stop is not None:
                self._stop.set()

    def end(self) -> None:
        """Mark the download as ended."""
        with self._lock:
            self._stop = None


UPDATES_PER_SECOND: Final = 5
"""The most progress updates per second that a browser gets."""


NO_PATH: Final = "Enter the folder that `workbench train` wrote, or a GGUF file."


class ModelsScreen(NamedTuple):
    """An update of the tab; components that it leaves out stay unchanged."""

    here: ModelRowsView | Update = SAME
    found: ModelRowsView | Update = SAME
    pull: PullView | Update = SAME
    notice: NoticeView | Update = SAME
    model: Update = SAME
    """The model choices of the Play tab."""
    adapters: ModelRowsView | Update = SAME
    place_notice: NoticeView | Update = SAME
    """The notice of the field with an adapter's path."""
    servers: ModelServersView | Update = SAME
    get: Update = SAME
    """The column with downloads. Only people who may download see it."""


@dataclass(frozen=True, slots=True)
class ModelsEvents:
    """Handlers of the tab."""

    services: Services
    pulls: Pulls
    """The running download."""

    @needs(Permission.WORK)
    def on_open(self, state: TabState, request: gr.Request) -> Generator[ModelsScreen]:
        """Show the models, servers and adapters that are available now, then what the servers list."""
        services = services_of(self.services, state, request)
        adapters = show_adapters(self.services.adapters.available())
        get = gr.update(visible=services.owner.may(Permission.MANAGE_MODELS))
        servers = list_model_servers(services)
        yield self._shown(services.models)._replace(adapters=adapters, servers=servers, get=get)
        services.models.ask_servers()
        yield self._shown(services.models)._replace(servers=list_model_servers(services))

    @needs(Permission.OPEN_FILES)
    def on_look(self, place: str, base: str) -> ModelsScreen:
        """Show the adapter at a path, with its receipt, above the known adapters."""
        if not place.strip():
            return ModelsScreen(place_notice=advice(NO_PATH))
        try:
            found = self.services.adapters.describe(place.strip(), base)
        except WorkbenchError as error:
            return ModelsScreen(place_notice=problem(error))
        others = [model for model in self.services.adapters.available() if model.model != found.model]
        return ModelsScreen(adapters=show_adapters([found, *others]), place_notice=CLEAR)

    def bases(self) -> list[str]:
        """Return the local models that an adapter can be applied to. Users can also type a path."""
        own = [name for name in self.services.models.names() if name == EMBEDDED]
        return own + [model.name for model in self.services.hub.cached()]

    @needs(Permission.WORK)
    @shows_error(ModelsScreen)
    def on_find(self, words: str, request: gr.Request) -> ModelsScreen:
        """Search repositories by name; without words, show the recommended ones."""
        if not words.strip():
            return ModelsScreen(found=self.recommended(), notice=CLEAR)
        found = self.services.hub.find(words.strip(), with_token=self._may_use_token(request))
        return ModelsScreen(found=show_found(found, words.strip()), notice=CLEAR)

    @needs(Permission.WORK)
    def on_show(self, event: gr.EventData, request: gr.Request) -> ModelsScreen:
        """Show the files of the chosen repository."""
        return self._files(id_of(event, "name"), with_token=self._may_use_token(request))

    @needs(Permission.MANAGE_MODELS)
    def on_pull(self, event: gr.EventData, request: gr.Request) -> Generator[ModelsScreen]:
        """Download a model and show the progress, then refresh the lists."""
        name = id_of(event, "name")
        stop = self.pulls.begin(request.session_hash or "")
        if stop is None:
            yield ModelsScreen(notice=advice("One download is under way already; wait for it or stop it."))
            return
        step, shown_at_s = None, -1.0
        try:
            for step in self.services.hub.pull(name, is_cancelled=stop.is_set):
                now_s = self.services.calendar.seconds()
                if now_s - shown_at_s >= 1 / UPDATES_PER_SECOND:
                    shown_at_s = now_s
                    yield ModelsScreen(pull=show_progress(name, step), notice=CLEAR)
        except WorkbenchError as error:
            yield ModelsScreen(pull=show_pull_end(name, step), notice=problem(error))
            return
        finally:
            self.pulls.end()
        repository = "/".join(name.removeprefix("hf:").split("/")[:2])
        shown = self._files(repository, with_token=self._may_use_token(request))
        here = self._shown(permitted_to(self.services, request).models)
        yield here._replace(found=shown.found, notice=shown.notice, pull=show_pull_end(name, step))

    @needs(Permission.MANAGE_MODELS)
    def on_stop(self, request: gr.Request) -> None:
        """Ask the download to stop. The part that has arrived is not deleted."""
        self.pulls.stop(request.session_hash or "")

    @needs(Permission.MANAGE_MODELS)
    @shows_error(ModelsScreen)
    def on_delete(self, event: gr.EventData, request: gr.Request) -> ModelsScreen:
        """Delete a model from the cache, after the browser has asked for confirmation."""
        self.services.hub.delete(id_of(event, "name"))
        return self._shown(permitted_to(self.services, request).models)._replace(notice=CLEAR)

    def _may_use_token(self, request: gr.Request) -> bool:
        """Whether to use the server's access token, which also shows the private repositories of its owner."""
        return is_granted(Permission.USE_SERVER_TOKEN, role_of(self.services.settings, request))

    @needs(Permission.WORK)
    def on_use(self, event: gr.EventData) -> tuple[Update, Update, NoticeView]:
        """Choose the model in the Play tab, and open that tab."""
        name = id_of(event, "name")
        return gr.update(value=name), gr.update(selected="play"), CLEAR

    def _shown(self, models: Models) -> ModelsScreen:
        """Show the models that can be chosen now, here and in the Play tab."""
        names = list(models.names())
        statuses = [models.status(name) for name in names]
        here = show_here(statuses, self.services.hub.cached(), chosen=self.services.settings.model)
        return ModelsScreen(here=here, model=gr.update(choices=names))

    def recommended(self) -> ModelRowsView:
        """Return the recommended models to download."""
        return show_known(self.services.hub.known())

    def _files(self, repository: str, *, with_token: bool) -> ModelsScreen:
        try:
            files = self.services.hub.files(repository, with_token=with_token)
        except WorkbenchError as error:
            return ModelsScreen(notice=problem(error))
        known = next((model for model in self.services.hub.known() if model.repository == repository), None)
        return ModelsScreen(found=show_files(repository, files, known), notice=CLEAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsParts:
    """All components of the tab."""

    servers: Drawn
    get: gr.Column
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
        """Return the components that a `ModelsScreen` has values for, in its order."""
        return [self.here, self.found, self.pull, self.notice, model, self.adapters, self.place_notice,
                self.servers, self.get]  # fmt: skip


def build(services: Services) -> ModelsParts:
    """Build the tab. Nothing is requested from the Hub until the user asks for it."""
    pulls = Pulls()
    events = ModelsEvents(services, pulls)
    with gr.Row(elem_id="models-columns"):
        with gr.Column(elem_id="models-here-column", elem_classes=["hw-column"], min_width=0):
            heading("Servers", about="how-to/ask-a-model-behind-a-server")
            servers = Drawn("model_servers", elem_id="models-servers")
            heading("Available models", about="reference/models")
            here = Drawn("model_rows", elem_id="models-here")
            heading("Adapters", about="reference/models#adapters")
            with gr.Row(elem_id="models-adapter", visible=not services.settings.is_on_space):
                place = TextField(
                    label="Adapter folder or GGUF file",
                    placeholder="runs/first",
                    max_lines=1,
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
        with gr.Column(
            elem_id="models-get-column",
            elem_classes=["hw-column"],
            min_width=0,
            visible=not serves_others(services.settings),
        ) as get:
            heading("Download from the Hub", about="how-to/get-a-model#on-the-page")
            with gr.Row(elem_id="models-search"):
                words = TextField(
                    label="Model name",
                    placeholder="Hermes 3 8B",
                    max_lines=1,
                    show_label=False,
                    container=False,
                    elem_id="models-words",
                )
                find = gr.Button("Search", size="sm", elem_id="models-find")
            notice = Drawn("notice", elem_id="models-notice")
            pull = Drawn("pull_bar", elem_id="models-pull")
            found = Drawn("model_rows", events.recommended(), elem_id="models-found")
    return ModelsParts(
        servers=servers, get=get, here=here, place=place, base=base, look=look, place_notice=place_notice,
        adapters=adapters,
        words=words, find=find, found=found, pull=pull, notice=notice, pulls=pulls,
    )  # fmt: skip


def wire(
    parts: ModelsParts, services: Services, state: gr.State, *, tab: gr.Tab, tabs: gr.Tabs, model: Block
) -> list[Dependency]:
    """Connect the components with their handlers.

    Args:
        tab: The tab itself; opening it refreshes the lists.
        tabs: All tabs, since choosing a model opens the Play tab.
        model: The Play tab's model.

    Returns:
        The events of choosing a model, one for each list.
    """
    events = ModelsEvents(services, parts.pulls)
    screen = parts.screen(model)
    listen(tab.select, events.on_open, [state], screen)
    wire_servers(parts.servers, services, state, model)
    listen(any_of(parts.find.click, parts.words.submit), events.on_find, [parts.words], screen)
    inputs = [parts.place, parts.base]
    listen(any_of(parts.look.click, parts.place.submit), events.on_look, inputs, screen)
    listen(parts.found.event("show_repository"), events.on_show, [], screen)
    listen(parts.found.event("pull_model"), events.on_pull, [], screen)
    listen(parts.pull.event("stop_pull"), events.on_stop, is_queued=False)
    listen(parts.here.event("delete_model"), events.on_delete, [], screen)
    return [
        listen(rows.event("use_model"), events.on_use, [], [model, tabs, parts.notice])
        for rows in (parts.here, parts.found, parts.adapters, parts.servers)
    ]
