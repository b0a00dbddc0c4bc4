"""Rename, duplicate, delete, restore and download contracts and suites, and what toolsets share with them."""

from dataclasses import dataclass

import gradio as gr

from workbench.app.services import Services
from workbench.app.version_names import delete_name, duplicate_name, rename_name, restore_name
from workbench.errors import BadInput
from workbench.library.home_files import PLACES
from workbench.records.owner import Permission
from workbench.records.versions import Version, VersionKind
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import CLEAR, NoticeView
from workbench.ui.present.sessions import DownloadView
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.stored_text import StoredTextEvents

_ENDINGS = {kind: place.ending for kind, place in PLACES.items()}


@dataclass(frozen=True, slots=True)
class NameEvents:
    """Handlers of the menu of the open text and of its list of versions."""

    services: Services
    kind: VersionKind

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_download(
        self, state: TabState, event: gr.EventData, request: gr.Request
    ) -> tuple[DownloadView | Update, NoticeView]:
        """Download a version as a file."""
        services = services_of(self.services, state, request)
        version = services.versions.version(id_of(event))
        if version is None or version.kind is not self.kind:
            raise BadInput("version", "there is no such version", "choose one from the list")
        newest = services.versions.find(version.kind, version.name)
        number = "" if newest and newest.id == version.id else f"@{version.number}"
        return DownloadView(
            name=f"{version.name}{number}{_ENDINGS[version.kind]}",
            text=version.text,
            serial=services.calendar.seconds(),
            media_type="text/plain",
        ), CLEAR

    def changed(self, services: Services, name: str, event: gr.EventData) -> Version | None:
        """Carry out an action of the menu.

        Returns:
            The version to open, or None if the name was deleted.

        Raises:
            WorkbenchError: The action is unknown or not possible.
        """
        action, value = text_of(event, "action"), text_of(event, "value").strip()
        match action:
            case "rename":
                return rename_name(services, self.kind, name, value)
            case "duplicate":
                return duplicate_name(services, self.kind, name, value)
            case "restore":
                found = [each for each in services.version_names.deleted_names(self.kind) if each.id == value]
                if not found:
                    raise BadInput("name", "it can no longer be restored")
                return restore_name(services, found[0])
            case "delete":
                delete_name(services, self.kind, name)
                return None
            case _:
                raise BadInput("name", f"unknown action {action[:40]!r}")


@dataclass(frozen=True, slots=True)
class TextNameEvents(NameEvents):
    """The same for contracts and suites, which are opened by their name."""

    texts: StoredTextEvents

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, SAME, NOTICE, SAME, SAME)
    def on_change(
        self, state: TabState, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[object, ...]:
        """Rename, duplicate, delete or restore a text, and open the result, or what is left after deleting.

        A renamed text keeps its draft.
        """
        services, texts = services_of(self.services, state, request), self.texts
        opened = self.changed(services, name, event)
        names = texts.names(services)
        new_name = opened.name if opened is not None else (names[0] if names else "")
        was = name if text_of(event, "action") == "rename" else ""
        editors = texts.opened(services, new_name, was=was) if new_name else SAME
        shown = text if was else texts.newest(services, new_name) if new_name else ""
        line = texts.version_line(services, new_name, shown) if new_name else None
        return texts.list_texts(services, new_name), new_name, editors, CLEAR, None, line
