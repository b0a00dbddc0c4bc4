"""Add, test, edit and remove servers with models, and choose a model in the picker of the header."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple

import gradio as gr

from workbench.app.services import Services
from workbench.engines.remote.server import KeyPlace, ServerKind
from workbench.engines.remote.servers_file import ServerDraft
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.settings import Secret
from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.gradio_parts.names import Block, Dependency
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, word_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.model_servers import (
    ModelPickerView,
    ModelServersView,
    show_model_servers,
    show_picker,
    suggested_name,
)
from workbench.ui.tab_state import TabState


class ServersShown(NamedTuple):
    """What an action on a server changes."""

    servers: ModelServersView | Update = SAME
    model: Update = SAME
    """The model choices of the Play tab."""


def list_model_servers(
    services: Services, *, error: WorkbenchError | None = None, **shown: object
) -> ModelServersView:
    """Show the servers of the owner, without asking them.

    Args:
        error: Why the last action failed. None if it did not.
        shown: Further arguments of `show_model_servers`.
    """
    servers = services.servers
    return show_model_servers(
        servers.states(),
        can_add=servers.can_add,
        is_guest=not services.owner.may(Permission.ADD_SERVERS),
        problems=(str(error or ""), servers.file_problem),
        has_failed=error is not None,
        serial=services.calendar.seconds(),
        **shown,  # pyright: ignore[reportArgumentType] - they are declared there
    )


@dataclass(frozen=True, slots=True)
class ModelServerEvents:
    """Handlers of the servers on the Models tab. Guests change only their own (`ServerBook.of`)."""

    services: Services

    @needs(Permission.WORK)
    def on_save(self, state: TabState, request: gr.Request, event: gr.EventData) -> ServersShown:
        """Add a server or replace one, and ask it for its models."""
        services = services_of(self.services, state, request)
        key, url, old = id_of(event, "key").strip(), id_of(event, "url").strip(), id_of(event, "name")
        draft = ServerDraft(
            name=id_of(event, "new_name").strip() or suggested_name(url, services.servers.named),
            base_url=url,
            kind=word_of(event, "kind", ServerKind),
            key=Secret(key) if key else None,
            key_place=word_of(event, "key_place", KeyPlace),
            key_variable=id_of(event, "key_variable").strip(),
        )
        return self._done(services, lambda: services.servers.save(draft, replaces=old))

    @needs(Permission.WORK)
    def on_remove(self, state: TabState, request: gr.Request, event: gr.EventData) -> ServersShown:
        """Remove a server and its key, after the browser has asked for confirmation."""
        services = services_of(self.services, state, request)
        return self._done(services, lambda: services.servers.remove(id_of(event, "name")))

    @needs(Permission.WORK)
    def on_retry(self, state: TabState, request: gr.Request, event: gr.EventData) -> ServersShown:
        """Ask a server again for its models. If that fails, its line says why."""
        services = services_of(self.services, state, request)
        return self._done(services, lambda: services.servers.retry(id_of(event, "name")))

    @needs(Permission.ASK)
    def on_test(self, state: TabState, request: gr.Request, event: gr.EventData) -> ServersShown:
        """Find out what a server can do, and show what is wrong below it."""
        services = services_of(self.services, state, request)
        try:
            # Counted, so that a user cannot send requests through this machine without limit.
            with services.at_work():
                report = services.servers.test(id_of(event, "name"))
        except WorkbenchError as error:
            return ServersShown(list_model_servers(services, error=error))
        return ServersShown(list_model_servers(services, report=report), _choices(services))

    def _done(self, services: Services, work: Callable[[], None]) -> ServersShown:
        try:
            work()
        except WorkbenchError as error:
            return ServersShown(list_model_servers(services, error=error))
        return ServersShown(list_model_servers(services), _choices(services))


class PickerShown(NamedTuple):
    """What the picker of models changes."""

    picker: ModelPickerView | Update = SAME
    model: Update = SAME
    """The model of the Play tab."""


@dataclass(frozen=True, slots=True)
class PickerEvents:
    """Handlers of the picker of models."""

    services: Services

    @needs(Permission.WORK)
    def on_open(self, state: TabState, chosen: str | None, request: gr.Request) -> Generator[PickerShown]:
        """Show the models that are known now, then those that servers list."""
        services = services_of(self.services, state, request)
        yield self._shown(services, chosen)
        services.models.ask_servers()
        yield self._shown(services, chosen)._replace(model=_choices(services))

    @needs(Permission.WORK)
    def on_retry(
        self, state: TabState, chosen: str | None, request: gr.Request, event: gr.EventData
    ) -> PickerShown:
        """Ask a server again for its models."""
        services = services_of(self.services, state, request)
        try:
            services.servers.retry(id_of(event, "name"))
        except WorkbenchError:
            # It was removed meanwhile, which the list shows.
            return self._shown(services, chosen)
        return self._shown(services, chosen)._replace(model=_choices(services))

    @needs(Permission.WORK)
    def on_choose(self, event: gr.EventData) -> Update:
        """Choose the model in the Play tab."""
        return gr.update(value=id_of(event, "name"))

    def _shown(self, services: Services, chosen: str | None) -> PickerShown:
        servers, names = services.servers, services.models.names()
        return PickerShown(
            show_picker(
                names,
                servers.states(),
                chosen=chosen or "",
                can_add=servers.can_add,
                serial=services.calendar.seconds(),
            )
        )


def _choices(services: Services) -> Update:
    return gr.update(choices=list(services.models.names()))


def wire_servers(servers: Drawn, services: Services, state: gr.State, model: Block) -> None:
    """Connect the servers of the Models tab with their handlers."""
    events = ModelServerEvents(services)
    outputs = [servers, model]
    for name, handler in (
        ("save_server", events.on_save),
        ("remove_server", events.on_remove),
        ("retry_server", events.on_retry),
        ("test_server", events.on_test),
    ):
        listen(servers.event(name), handler, [state], outputs, is_model_work=True)


def wire_picker(picker: Drawn, services: Services, state: gr.State, model: Block) -> Dependency:
    """Connect the picker with its handlers. Return the event of choosing a model."""
    events = PickerEvents(services)
    inputs, outputs = [state, model], [picker, model]
    listen(picker.event("open_picker"), events.on_open, inputs, outputs, is_model_work=True)
    listen(picker.event("retry_server"), events.on_retry, inputs, outputs, is_model_work=True)
    return listen(picker.event("choose_model"), events.on_choose, [], [model])
