"""Edit suites."""

from dataclasses import dataclass
from pathlib import Path

import gradio as gr

from workbench.app.runs.session_suite import suite_from_sessions
from workbench.app.runs.suites import check_suite_text, suite_names, suite_text
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.versions import VersionKind, check_name
from workbench.toolspec.yaml_text import MAX_TEXT_CHARS
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import flag_of, id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.documents import DocumentChange, EditorsView
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.suites.editor import (
    BLANK,
    SuiteTextView,
    sessions_note,
    show_suite_text,
    with_rows,
)
from workbench.ui.present.versions import VersionsView
from workbench.ui.tabs.stored_text import StoredTextEvents
from workbench.ui.tabs.suites.parts import EDITORS
from workbench.ui.visitor import Visitor


def suite_texts(services: Services) -> StoredTextEvents:
    """Return the handlers of the list, the editor and the versions of suites."""
    return StoredTextEvents(
        services,
        VersionKind.SUITE,
        names=suite_names,
        newest=suite_text,
        blank=BLANK,
        editors=EDITORS,
        field="suites-text",
    )


@dataclass(frozen=True, slots=True)
class SuiteEditEvents:
    """Handlers of the suite in the editor."""

    services: Services
    texts: StoredTextEvents

    @needs(Permission.WORK)
    def on_text(
        self, visitor: Visitor, name: str, text: str, request: gr.Request
    ) -> tuple[VersionsView | None, SuiteTextView | None]:
        """Return the version line, findings and cases of the text as it is typed."""
        if not name:
            return None, None
        services = services_of(self.services, visitor, request)
        checked = check_suite_text(services, text, name=name)
        return self.texts.version_line(services, name, text), show_suite_text(checked)

    @needs(Permission.WORK)
    def on_rows(
        self, visitor: Visitor, name: str, text: str, path: str | None, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView]:
        """Append a case template over the rows of a CSV file."""
        try:
            if not name:
                raise BadInput("suite", "no suite is open", "open one, or create one")
            file = Path(path or "")
            if file.stat().st_size > MAX_TEXT_CHARS // 2:
                raise BadInput(
                    file.name, f"larger than {MAX_TEXT_CHARS // 2:,} bytes", "split it into several suites"
                )
            rows = file.read_text(encoding="utf-8-sig")
            added = with_rows(text, rows, file_name=file.name)
        except (OSError, UnicodeDecodeError) as error:
            return SAME, problem(BadInput("file", f"it cannot be read: {error}", "choose a CSV file"))
        except BadInput as error:
            return SAME, problem(error)
        change = DocumentChange(
            how="edit", field="suites-text", document=f"suite:{name}", text=added, before=text
        )
        services = services_of(self.services, visitor, request)
        return EDITORS.changed(services.calendar.seconds(), change), advice(
            "Added a template and its rows after the existing cases. Fill in the user message and the expectation."
        )

    @needs(Permission.WORK)
    def on_open(self, visitor: Visitor, request: gr.Request, event: gr.EventData) -> tuple[object, ...]:
        """Open the chosen suite, or start a new one, which can have the turns of tagged sessions as cases."""
        tag = text_of(event, "tag")
        if not tag:
            return self.texts.on_open(visitor, request, event)
        services, name = services_of(self.services, visitor, request), id_of(event, "name")
        try:
            check_name(name)
            if name in suite_names(services) or flag_of(event, "is_draft"):
                raise BadInput(f"suite {name!r}", "this name is taken", "write another name beside New")
            made = suite_from_sessions(services, tag, name=name)
        except WorkbenchError as error:
            return SAME, SAME, SAME, problem(error), SAME
        opened = self.texts.created(services, name, made.text)
        return self.texts.list_texts(services, name), name, opened, advice(sessions_note(made)), None

    @needs(Permission.WORK)
    def on_use(
        self, visitor: Visitor, name: str, text: str, request: gr.Request
    ) -> tuple[Update, Update, NoticeView]:
        """Choose the suite in the form of a run."""
        services = services_of(self.services, visitor, request)
        try:
            if name not in suite_names(services) or text != suite_text(services, name):
                return SAME, SAME, advice("Save it as a version first. Runs only use saved versions.")
        except WorkbenchError as error:
            return SAME, SAME, problem(error)
        chosen = gr.update(choices=list(suite_names(services)), value=[name])
        return chosen, gr.update(selected="runs"), CLEAR
