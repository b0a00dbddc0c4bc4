"""Lists of stored texts with an editor and a version line, for contracts and suites."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import gradio as gr

from workbench.app.services import Services
from workbench.app.version_content import comparable_texts
from workbench.app.version_names import version_of_name
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.versions import NewVersion, VersionKind, check_name
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import flag_of, id_of, optional_number_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.documents import DocumentChange, EditorsView
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.present.version_diff import EDITOR, VersionDiffView, show_version_diff
from workbench.ui.present.versions import TextListView, VersionsView, show_texts, show_versions
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState

SHOWN: Final = 50
"""The most versions in a list; `workbench versions history` shows all."""
SaveResult = tuple[TextListView | Update, VersionsView | Update | None, NoticeView, EditorsView | Update]


@dataclass(frozen=True, slots=True)
class StoredTextEvents:
    """Handlers of the stored texts of one kind, such as contracts."""

    services: Services
    kind: VersionKind
    names: Callable[[Services], Sequence[str]]
    """Returns the names that have a file or a version."""
    newest: Callable[[Services, str], str]
    """Returns the newest text of a name; raises BadInput if there is none."""
    blank: str
    """The template of a new text; `{name}` is replaced by its name."""
    editors: EditorsView
    field: str
    """Element id of the editor."""

    @needs(Permission.WORK)
    def on_tab(self, state: TabState, name: str, request: gr.Request) -> TextListView:
        """Refresh the list when the tab is opened; the browser says which text it had open.

        Gradio may report the opening more than once.
        """
        return self.list_texts(services_of(self.services, state, request), name, is_look=True)

    @needs(Permission.WORK)
    def on_open(self, state: TabState, request: gr.Request, event: gr.EventData) -> tuple[object, ...]:
        """Open the chosen text, or start a new one. The browser shows its draft if it has one.

        A text of which no version was ever saved only has a draft. An address may name a version, which is compared
        with the text.
        """
        services, name = services_of(self.services, state, request), id_of(event, "name")
        if flag_of(event, "is_new"):
            return self._started(services, name)
        try:
            opened = self._opened(services, name, is_draft=flag_of(event, "is_draft"))
        except WorkbenchError as error:
            return self.list_texts(services, ""), SAME, SAME, problem(error), None
        view, number = self.list_texts(services, name), optional_number_of(event, "version")
        if number is None:
            return view, name, opened, CLEAR, None
        shown = text_of(event, "draft") or opened.changes[0].text
        diff, notice = compare_number(services, self.kind, name, number, lambda: shown)
        return view, name, opened, notice, diff

    def _started(self, services: Services, name: str) -> tuple[object, ...]:
        """Start a new text, to be saved as its first version."""
        try:
            check_name(name)
            if name in self.names(services):
                where = f"{self.kind.value} {name!r}"
                raise BadInput(where, "this name is taken", "open it from the list, or choose another name")
        except WorkbenchError as error:
            return SAME, SAME, SAME, problem(error), SAME
        opened = self.created(services, name, self.blank.format(name=name))
        return self.list_texts(services, name), name, opened, CLEAR, None

    @needs(Permission.WORK)
    def on_save(
        self, state: TabState, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> SaveResult:
        """Save the text as a version."""
        new = NewVersion(
            kind=self.kind,
            name=name,
            text=text,
            message=text_of(event, "message").strip(),
            parent_id=id_of(event, "base") or None,
        )
        return self._changed(state, name, text, request, lambda own: own.versions.save(new), "saved")

    @needs(Permission.WORK)
    def on_mark(
        self, state: TabState, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> SaveResult:
        """Name a version."""
        version_id, mark = id_of(event), id_of(event, "mark")

        def tag(own: Services) -> None:
            own.versions.tag(version_of_name(own, self.kind, name, version_id).id, mark)

        return self._changed(state, name, text, request, tag)

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, SAME, NOTICE, SAME)
    def on_restore(
        self, state: TabState, name: str, _text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[object, ...]:
        """Save an old version as the newest, and put it into the editor. An open comparison is closed.

        A draft that it replaces can be brought back.
        """
        services = services_of(self.services, state, request)
        old = version_of_name(services, self.kind, name, id_of(event))
        restored = services.versions.restore(old.id)
        return None, *self._changed(state, name, restored.text, request, lambda _own: None, "restored")

    @needs(Permission.WORK)
    def on_compare(
        self, state: TabState, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[VersionDiffView | None, NoticeView]:
        """Compare two versions, or a version with the text in the editor."""
        services = services_of(self.services, state, request)
        return compare_versions(services, self.kind, event, name, lambda: text)

    def version_line(self, services: Services, name: str, text: str) -> VersionsView:
        """Return the version line: which version the text is, and all versions of its name."""
        now = services.calendar.now().astimezone()
        history = services.versions.history(self.kind, name, limit=SHOWN)
        deleted = services.version_names.deleted_names(self.kind)
        return show_versions(name, text, history, now=now, can_compare=True, deleted=deleted)

    def list_texts(self, services: Services, open_name: str, *, is_look: bool = False) -> TextListView:
        """Return the list of all texts of this kind."""
        return show_texts(
            self.kind,
            self.names(services),
            services.versions.lines(self.kind),
            open_name=open_name,
            serial=services.calendar.seconds(),
            is_look=is_look,
        )

    def _changed(
        self,
        state: TabState,
        name: str,
        text: str,
        request: gr.Request,
        change: Callable[[Services], object],
        how: Literal["saved", "restored"] | None = None,
    ) -> SaveResult:
        services = services_of(self.services, state, request)
        try:
            change(services)
            editors = self._change(services, name, how, text) if how else SAME
            line = replace(self.version_line(services, name, text), field=self.field)
            # Another text may have been opened meanwhile, and stays open.
            return self.list_texts(services, name, is_look=True), line, CLEAR, editors
        except WorkbenchError as error:
            return SAME, SAME, problem(error), SAME

    def _opened(self, services: Services, name: str, *, is_draft: bool) -> EditorsView:
        """Return the editor with a text, or with the draft of one that was never saved or is deleted.

        Raises:
            BadInput: There is no such text, and no draft of it.
        """
        try:
            return self._change(services, name, "open", self.newest(services, name))
        except BadInput:
            if not is_draft:
                raise
        check_name(name)
        return self.created(services, name, self.blank.format(name=name))

    def created(self, services: Services, name: str, text: str) -> EditorsView:
        """Return the editor with the text of a new name, to be saved as its first version."""
        return self._change(services, name, "create", text)

    def opened(self, services: Services, name: str, *, was: str = "") -> EditorsView:
        """Return the editor with a text, or with the draft of it.

        Args:
            services: The user's services.
            name: The text to open.
            was: The name that it had until now, whose draft and history it gets. Empty if it was not renamed.

        Raises:
            BadInput: There is no such text.
        """
        shown = self._change(services, name, "open", self.newest(services, name))
        if not was:
            return shown
        kind = self.kind.value
        moved = DocumentChange(how="moved", document=f"{kind}:{name}", was=f"{kind}:{was}")
        return replace(shown, changes=(moved, *shown.changes))

    def _change(
        self,
        services: Services,
        name: str,
        how: Literal["open", "create", "saved", "restored"],
        text: str,
    ) -> EditorsView:
        change = DocumentChange(
            how=how,
            field=self.field,
            document=f"{self.kind.value}:{name}",
            text=text,
            note="The restored version replaced your draft.",
        )
        return self.editors.changed(services.calendar.seconds(), change)


def compare_number(
    services: Services, kind: VersionKind, name: str, number: int, text_now: Callable[[], str]
) -> tuple[VersionDiffView | None, NoticeView]:
    """Compare the version with this number with the text that is being edited, as `compare_texts` does."""
    try:
        version = services.versions.find(kind, name, str(number))
    except WorkbenchError as error:
        return None, problem(error)
    if version is None or version.number != number:
        where = f"{kind.value} {name!r}, version {number}"
        return None, problem(BadInput(where, "there is no such version", "choose one from the list"))
    return compare_texts(services, kind, (version.id, EDITOR), name, text_now)


def compare_versions(
    services: Services, kind: VersionKind, event: gr.EventData, name: str, text_now: Callable[[], str]
) -> tuple[VersionDiffView | None, NoticeView]:
    """Compare the two texts that an event names as `id` and `after`, as `compare_texts` does."""
    return compare_texts(services, kind, (id_of(event), id_of(event, "after")), name, text_now)


def compare_texts(
    services: Services, kind: VersionKind, ids: tuple[str, str], name: str, text_now: Callable[[], str]
) -> tuple[VersionDiffView | None, NoticeView]:
    """Compare two versions by their ids. `EDITOR` stands for the text that is being edited.

    Args:
        kind: The kind of text.
        name: The name of the edited text.
        text_now: Returns the text as it would be saved; may raise BadInput.
    """

    def text_of_version(version_id: str) -> str:
        if version_id == EDITOR:
            return text_now()
        version = services.versions.version(version_id)
        if version is None or version.kind is not kind:
            raise BadInput("version", "there is no such version", "choose one from the list")
        return version.text

    try:
        history = services.versions.history(kind, name, limit=SHOWN)
        before, after = comparable_texts(kind, *map(text_of_version, ids))
    except WorkbenchError as error:
        return None, problem(error)
    return show_version_diff(name, history, (ids[0], before), (ids[1], after)), CLEAR
