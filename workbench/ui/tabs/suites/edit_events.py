"""Edit suites."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import gradio as gr

from workbench.app.runs.session_suite import suite_from_sessions
from workbench.app.runs.suites import check_suite_text, suite_names, suite_text
from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.records.owner import Permission
from workbench.records.versions import VersionKind, check_name
from workbench.suite.exchange.any_suite import import_suite
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
    imported_note,
    sessions_note,
    show_suite_text,
    with_cases,
    with_rows,
)
from workbench.ui.present.versions import VersionsView
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.stored_text import StoredTextEvents
from workbench.ui.tabs.suites.parts import EDITORS


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


ROWS_ADDED: Final = (
    "Added a template and its rows after the existing cases. Fill in the user message and the expectation."
)


@dataclass(frozen=True, slots=True)
class SuiteEditEvents:
    """Handlers of the suite in the editor."""

    services: Services
    texts: StoredTextEvents

    @needs(Permission.WORK)
    def on_text(
        self, state: TabState, name: str, text: str, request: gr.Request
    ) -> tuple[VersionsView | None, SuiteTextView | None]:
        """Return the version line, findings and cases of the text as it is typed."""
        if not name:
            return None, None
        services = services_of(self.services, state, request)
        checked = check_suite_text(services, text, name=name)
        return self.texts.version_line(services, name, text), show_suite_text(checked)

    @needs(Permission.WORK)
    def on_rows(
        self, state: TabState, name: str, text: str, paths: list[str] | None, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView]:
        """Append the cases of a file of another format, or a case template over the rows of a CSV file."""
        try:
            if not name:
                raise BadInput("suite", "no suite is open", "open one, or create one")
            added, note = with_files(text, [Path(path) for path in paths or ()])
        except (OSError, UnicodeDecodeError) as error:
            return SAME, problem(BadInput("file", f"it cannot be read: {error}", "choose a text file"))
        except BadInput as error:
            return SAME, problem(error)
        change = DocumentChange(
            how="edit", field="suites-text", document=f"suite:{name}", text=added, before=text
        )
        services = services_of(self.services, state, request)
        return EDITORS.changed(services.calendar.seconds(), change), advice(note)

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, SAME, NOTICE, SAME)
    def on_open(self, state: TabState, request: gr.Request, event: gr.EventData) -> tuple[object, ...]:
        """Open the chosen suite, or start a new one, which can have the turns of tagged sessions as cases."""
        tag = text_of(event, "tag")
        if not tag:
            return self.texts.on_open(state, request, event)
        services, name = services_of(self.services, state, request), id_of(event, "name")
        check_name(name)
        if name in suite_names(services) or flag_of(event, "is_draft"):
            raise BadInput(f"suite {name!r}", "this name is taken", "write another name beside New")
        made = suite_from_sessions(services, tag, name=name)
        opened = self.texts.created(services, name, made.text)
        return self.texts.list_texts(services, name), name, opened, advice(sessions_note(made)), None

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, NOTICE)
    def on_use(
        self, state: TabState, name: str, text: str, request: gr.Request
    ) -> tuple[Update, Update, NoticeView]:
        """Choose the suite in the form of a run."""
        services = services_of(self.services, state, request)
        if name not in suite_names(services) or text != suite_text(services, name):
            return SAME, SAME, advice("Save it as a version first. Runs only use saved versions.")
        chosen = gr.update(choices=list(suite_names(services)), value=[name])
        return chosen, gr.update(selected="runs"), CLEAR


def with_files(text: str, files: Sequence[Path]) -> tuple[str, str]:
    """Return the text of a suite with the cases of a file, and what was added.

    Args:
        files: One file, or the questions of BFCL and the file with their answers.

    Raises:
        BadInput: A file is too large, or has no cases that can be imported.
    """
    texts = {file: _read(file) for file in files}
    answers = next((added for added in texts.values() if '"ground_truth"' in added.partition("\n")[0]), None)
    for file, added in texts.items():
        if added is answers:
            continue
        if file.suffix == ".csv":
            return with_rows(text, added, file_name=file.name), ROWS_ADDED
        name, is_yaml = file.stem.removeprefix("BFCL_v4_"), file.suffix in (".yaml", ".yml")
        if (
            '"question"' in added.partition("\n")[0]
            and not is_yaml
            and not answers
            and "irrelevance" not in name
        ):
            # Without answers, the cases would expect no call.
            remedy = "choose the file of the same name in possible_answer at the same time"
            raise BadInput(file.name, "BFCL's answers are missing", remedy)
        imported = import_suite(added, name=name, is_yaml=is_yaml, answers=answers)
        return with_cases(text, imported), imported_note(imported)
    raise BadInput("file", "no file with cases is chosen", "choose CSV, YAML, JSON or JSON Lines")


def _read(file: Path) -> str:
    if file.stat().st_size > MAX_TEXT_CHARS // 2:
        raise BadInput(
            file.name, f"larger than {MAX_TEXT_CHARS // 2:,} bytes", "split it into several suites"
        )
    return file.read_text(encoding="utf-8-sig")
