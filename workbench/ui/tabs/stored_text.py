"""Lists of stored texts with an editor and a version line, for contracts and suites."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.app.version_content import diff_contents
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.versions import NewVersion, VersionKind, check_name
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import needs, services_of
from workbench.ui.present.contracts import DiffView, show_diff
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.present.versions import TextListView, VersionsView, show_texts, show_versions
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.visitor import Visitor

SHOWN: Final = 50
"""Versions that a list shows; `workbench versions history` has all."""
SaveResult = tuple[TextListView | Update, VersionsView | Update | None, NoticeView]


@dataclass(frozen=True, slots=True)
class StoredTextEvents:
    """Handlers of the texts of one kind."""

    services: Services
    kind: VersionKind
    names: Callable[[Services], Sequence[str]]
    """Those that have a file or a version."""
    newest: Callable[[Services, str], str]
    """The newest text of a name; raises BadInput where there is none."""
    blank: str
    """What a new one begins with; `{name}` is its name."""

    @needs(Permission.WORK)
    def on_tab(self, visitor: Visitor, name: str, request: gr.Request) -> TextListView:
        """The tab is opened, as Gradio may say more than once: at first the browser says which text it had open."""
        return self.list_texts(services_of(self.services, visitor, request), name, is_look=True)

    @needs(Permission.WORK)
    def on_open(self, visitor: Visitor, request: gr.Request, event: gr.EventData) -> tuple[object, ...]:
        """One that was picked; what was typed in it before and saved nowhere comes back."""
        services = services_of(self.services, visitor, request)
        name, draft = id_of(event, "name"), text_of(event, "draft")
        try:
            text = self.newest(services, name)
            history = services.versions.history(self.kind, name, limit=SHOWN)
        except WorkbenchError as error:
            if not draft:
                return self.list_texts(services, ""), SAME, SAME, problem(error), None
            text, history = "", ()
        is_draft = bool(draft) and draft != text and draft not in {version.text for version in history}
        view = self.list_texts(services, name, is_draft=is_draft)
        return view, name, draft if is_draft else text, CLEAR, None

    @needs(Permission.WORK)
    def on_new(self, visitor: Visitor, request: gr.Request, event: gr.EventData) -> tuple[object, ...]:
        """A new one, to be saved as its first version."""
        services, name = services_of(self.services, visitor, request), id_of(event, "name")
        try:
            check_name(name)
            if name in self.names(services):
                where = f"{self.kind.value} {name!r}"
                raise BadInput(where, "this name is taken", "open it from the list, or choose another name")
        except WorkbenchError as error:
            return SAME, SAME, SAME, problem(error), SAME
        return self.list_texts(services, name), name, self.blank.format(name=name), CLEAR, None

    @needs(Permission.WORK)
    def on_save(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> SaveResult:
        """The text becomes a version."""
        new = NewVersion(
            kind=self.kind,
            name=name,
            text=text,
            message=text_of(event, "message").strip(),
            parent_id=id_of(event, "base") or None,
        )
        return self._changed(visitor, name, text, request, lambda own: own.versions.save(new))

    @needs(Permission.WORK)
    def on_mark(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> SaveResult:
        """A version gets a name."""
        version_id, mark = id_of(event), id_of(event, "mark")
        return self._changed(visitor, name, text, request, lambda own: own.versions.tag(version_id, mark))

    @needs(Permission.WORK)
    def on_restore(
        self, visitor: Visitor, name: str, _text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[object, ...]:
        """An old version is the newest again, and stands in the editor."""
        services = services_of(self.services, visitor, request)
        try:
            text = services.versions.restore(id_of(event)).text
        except WorkbenchError as error:
            return SAME, SAME, SAME, problem(error)
        return text, *self._changed(visitor, name, text, request, lambda _own: None)

    @needs(Permission.WORK)
    def on_compare(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[DiffView | None, NoticeView]:
        """What was changed from a version to the text in the editor."""
        services = services_of(self.services, visitor, request)
        return compare_version(services, self.kind, id_of(event), name, lambda: text)

    def version_line(self, services: Services, name: str, text: str) -> VersionsView:
        """Which version a text is, and the versions of its name."""
        history = services.versions.history(self.kind, name, limit=SHOWN)
        now = services.calendar.now().astimezone()
        return show_versions(name, text, history, now=now, can_compare=True)

    def list_texts(
        self, services: Services, open_name: str, *, is_look: bool = False, is_draft: bool = False
    ) -> TextListView:
        """All of the kind."""
        return show_texts(
            self.kind,
            self.names(services),
            services.versions.lines(self.kind),
            open_name=open_name,
            serial=services.calendar.seconds(),
            is_look=is_look,
            is_draft=is_draft,
        )

    def _changed(
        self,
        visitor: Visitor,
        name: str,
        text: str,
        request: gr.Request,
        change: Callable[[Services], object],
    ) -> SaveResult:
        services = services_of(self.services, visitor, request)
        try:
            change(services)
            return self.list_texts(services, name), self.version_line(services, name, text), CLEAR
        except WorkbenchError as error:
            return SAME, SAME, problem(error)


def compare_version(
    services: Services, kind: VersionKind, version_id: str, name: str, text_now: Callable[[], str]
) -> tuple[DiffView | None, NoticeView]:
    """What was changed from a version to what is being edited.

    Args:
        kind: What the version holds.
        version_id: Of the version.
        name: Of what is edited.
        text_now: Gives the text as it would be saved; may raise BadInput.
    """
    try:
        version = services.versions.version(version_id)
        if version is None:
            raise BadInput("version", "there is no such version", "choose one from the list")
        diff = diff_contents(kind, version.text, text_now(), (f"v{version.number}", "the editor"))
    except WorkbenchError as error:
        return None, problem(error)
    return show_diff(f"Changes from v{version.number} of {name} to the editor", diff), CLEAR
