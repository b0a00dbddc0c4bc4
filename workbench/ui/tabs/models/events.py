"""What the Models tab answers."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final, NamedTuple

import gradio as gr

from workbench.desk.services import Services
from workbench.errors import WorkbenchError
from workbench.ui.owners import owner_of
from workbench.ui.present.adapters import show_adapters
from workbench.ui.present.models import (
    EMBEDDED,
    ModelRowsView,
    PullView,
    show_files,
    show_found,
    show_here,
    show_known,
    show_progress,
    show_pull_end,
)
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.tabs.models.pulls import Pulls
from workbench.ui.tabs.play.screen import SAME, Update

LOOKS_PER_SECOND: Final = 5
"""A browser is told of a download's progress this often at most."""


ADMINS_ONLY: Final = "On a Space only its admins get and delete models: WORKBENCH_ADMINS names them."
"""Said to a visitor, whose download would fill the disk of all."""

NO_PLACE: Final = "Name the folder that `workbench train` wrote, or a GGUF file."
NO_PATHS: Final = "On a Space adapters are those of its data folder; nobody opens files by path."
"""Said to a visitor who names a place."""


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
    """The edges."""
    pulls: Pulls
    """The download under way."""

    def on_open(self) -> ModelsScreen:
        """What is here, as it is now."""
        adapters = show_adapters(self.services.adapters.found())
        return ModelsScreen(here=self.here(), model=self._choices(), adapters=adapters)

    def on_look(self, place: str, base: str) -> ModelsScreen:
        """The adapter at a place, with its receipt, above those that are known."""
        if self.services.settings.is_on_space:
            return ModelsScreen(place_notice=advice(NO_PATHS))
        if not place.strip():
            return ModelsScreen(place_notice=advice(NO_PLACE))
        try:
            looked = self.services.adapters.look(place.strip(), base)
        except WorkbenchError as error:
            return ModelsScreen(place_notice=problem(error))
        others = [one for one in self.services.adapters.found() if one.model != looked.model]
        return ModelsScreen(adapters=show_adapters([looked, *others]), place_notice=CLEAR)

    def bases(self) -> list[str]:
        """The models of this machine that something can be laid over; a path can be written."""
        own = [name for name in self.services.models.names() if name == EMBEDDED]
        return own + [one.name for one in self.services.hub.cached()]

    def on_find(self, words: str) -> ModelsScreen:
        """Repositories by words; the recommended ones without."""
        if not words.strip():
            return ModelsScreen(found=self.recommended(), notice=CLEAR)
        try:
            found = self.services.hub.find(words.strip())
        except WorkbenchError as error:
            return ModelsScreen(notice=problem(error))
        return ModelsScreen(found=show_found(found, words.strip()), notice=CLEAR)

    def on_show(self, event: gr.EventData) -> ModelsScreen:
        """The files of a repository that was picked."""
        return self._files(str(event.name))

    def on_pull(self, event: gr.EventData, request: gr.Request) -> Generator[ModelsScreen]:
        """Fetches a model, told as it comes; the tab's lists are as it left them at the end."""
        if not self._may_change(request):
            yield ModelsScreen(notice=advice(ADMINS_ONLY))
            return
        name = str(event.name)
        stop = self.pulls.begin(request.session_hash or "")
        if stop is None:
            yield ModelsScreen(notice=advice("One download is under way already; wait for it, or stop it."))
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
        shown = self._files("/".join(name.removeprefix("hf:").split("/")[:2]))
        yield shown._replace(here=self.here(), pull=show_pull_end(name, step), model=self._choices())

    def on_stop(self, request: gr.Request) -> None:
        """Asks the download to stop; what has come is kept."""
        self.pulls.stop(request.session_hash or "")

    def on_delete(self, event: gr.EventData, request: gr.Request) -> ModelsScreen:
        """Deletes a model of the cache, which the browser has asked twice."""
        if not self._may_change(request):
            return ModelsScreen(notice=advice(ADMINS_ONLY))
        try:
            self.services.hub.delete(str(event.name))
        except WorkbenchError as error:
            return ModelsScreen(notice=problem(error))
        return ModelsScreen(here=self.here(), notice=CLEAR, model=self._choices())

    def _may_change(self, request: gr.Request) -> bool:
        """Whether models may be fetched and deleted: by anyone on an own machine, by admins on a Space."""
        settings = self.services.settings
        return not settings.is_on_space or owner_of(settings, None, request).is_admin

    def on_use(self, event: gr.EventData) -> tuple[Update, Update, NoticeView]:
        """The Play tab's model, and the tab itself."""
        name = str(event.name)
        return gr.update(value=name), gr.update(selected="play"), CLEAR

    def here(self) -> ModelRowsView:
        """What can be chosen now."""
        models, hub = self.services.models, self.services.hub
        statuses = [models.status(name) for name in models.names()]
        return show_here(statuses, hub.cached(), chosen=self.services.settings.model)

    def recommended(self) -> ModelRowsView:
        """What to get where one does not know."""
        return show_known(self.services.hub.known())

    def _files(self, repository: str) -> ModelsScreen:
        try:
            files = self.services.hub.files(repository)
        except WorkbenchError as error:
            return ModelsScreen(notice=problem(error))
        known = next((one for one in self.services.hub.known() if one.repository == repository), None)
        return ModelsScreen(found=show_files(repository, files, known), notice=CLEAR)

    def _choices(self) -> Update:
        return gr.update(choices=list(self.services.models.names()))
