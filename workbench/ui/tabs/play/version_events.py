"""What the line under the contract answers: a version is saved, restored, or marked as in use."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.records.versions import NewVersion, VersionKind
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permitted import needs
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.present.versions import VersionsView, show_versions
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.visitor import Visitor

SHOWN: Final = 30
"""Versions that the list shows; `workbench versions history` has all."""


@dataclass(frozen=True, slots=True)
class VersionEvents:
    """Handlers of the line under the contract."""

    services: Services
    """The edges."""

    @needs(Permission.WORK)
    def on_text(
        self, visitor: Visitor, name: str | None, text: str, request: gr.Request
    ) -> VersionsView | None:
        """The line for the text as it stands in the editor."""
        return _shown(services_of(self.services, visitor, request), name, text)

    @needs(Permission.WORK)
    def on_save(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[VersionsView | Update | None, NoticeView]:
        """The text becomes a version, made from the one that stood in the line."""
        services = services_of(self.services, visitor, request)
        new = NewVersion(
            kind=VersionKind.CONTRACT,
            name=name,
            text=text,
            message=text_of(event, "message").strip(),
            parent_id=id_of(event, "base") or None,
        )
        try:
            services.versions.save(new)
            return _shown(services, name, text), CLEAR
        except WorkbenchError as error:
            return SAME, problem(error)

    @needs(Permission.WORK)
    def on_restore(
        self, visitor: Visitor, name: str, request: gr.Request, event: gr.EventData
    ) -> tuple[str | Update, VersionsView | Update | None, NoticeView]:
        """An old version is the newest again, and stands in the editor."""
        services = services_of(self.services, visitor, request)
        try:
            restored = services.versions.restore(id_of(event))
            return restored.text, _shown(services, name, restored.text), CLEAR
        except WorkbenchError as error:
            return SAME, SAME, problem(error)

    @needs(Permission.WORK)
    def on_mark(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[VersionsView | Update | None, NoticeView]:
        """A version is the one in use, or the one that may be next."""
        services = services_of(self.services, visitor, request)
        try:
            services.versions.tag(id_of(event), id_of(event, "mark"))
            return _shown(services, name, text), CLEAR
        except WorkbenchError as error:
            return SAME, problem(error)


def _shown(services: Services, name: str | None, text: str) -> VersionsView | None:
    if not name:
        return None
    history = services.versions.history(VersionKind.CONTRACT, name, limit=SHOWN)
    return show_versions(name, text, history, now=services.calendar.now().astimezone())
