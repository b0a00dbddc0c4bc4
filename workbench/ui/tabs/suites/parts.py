"""The tab's parts, built: runs with their fields and what they came to, and the editor of suites."""

from dataclasses import dataclass
from typing import Final

import gradio as gr
from gradio.blocks import Block

from workbench.app.services import Services
from workbench.ui.components.choice_field import ChoiceField
from workbench.ui.components.editor import Editor
from workbench.ui.components.editor_names import EditorNames
from workbench.ui.components.fields import heading, text_editor
from workbench.ui.components.notice import Notice
from workbench.ui.components.run_bar import RunBar
from workbench.ui.components.suite_comparison import SuiteComparison
from workbench.ui.components.suite_keys import SuiteKeys
from workbench.ui.components.suite_plays import SuitePlays
from workbench.ui.components.suite_run import SuiteRun
from workbench.ui.components.suite_text import SuiteText
from workbench.ui.components.text_diff import TextDiff
from workbench.ui.components.text_field import TextField
from workbench.ui.components.text_list import TextList
from workbench.ui.components.versions import Versions
from workbench.ui.present.editors import EditorNamesView
from workbench.ui.tabs.suites.grid_column import GridParts, build_grid
from workbench.ui.tabs.suites.screen import SuitesScreen

EDITORS: Final = EditorNamesView(names=(("suites-text", "Text of the suite"),))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """What a run came to."""

    shown: gr.Dropdown
    baseline: gr.Dropdown
    baseline_arm: gr.Dropdown
    arm: gr.Dropdown
    notice: Notice
    bar: RunBar
    run: SuiteRun
    comparison: SuiteComparison
    plays: SuitePlays

    @property
    def screen(self) -> list[Block]:
        """The parts that a `SuitesScreen` has values for, in its order."""
        return [getattr(self, name) for name in SuitesScreen._fields]

    @property
    def compared(self) -> list[Block]:
        """What says which runs, and which arms of them, are held side by side."""
        return [self.shown, self.baseline, self.baseline_arm, self.arm]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditParts:
    """The editor of suites."""

    texts: TextList
    name: TextField
    text: Editor
    versions: Versions
    notice: Notice
    diff: TextDiff
    rows: gr.UploadButton
    play: gr.Button
    checked: SuiteText


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitesParts:
    """All parts of the tab."""

    rooms: gr.Tabs
    """Runs and the editor."""
    edit_room: gr.Tab
    grid: GridParts
    run: RunParts
    edit: EditParts
    secret: TextField
    """What tells this browser from others, read where a link is opened."""


def build(services: Services) -> SuitesParts:
    """Builds the tab, empty."""
    EditorNames(EDITORS, elem_id="suites-editor-names")
    SuiteKeys(elem_id="suites-keys")
    secret = TextField(visible=False, elem_id="suites-secret")
    with gr.Tabs(elem_id="suites-rooms") as rooms:
        with gr.Tab("Runs", id="runs", elem_id="suites-room-runs"), gr.Row(elem_id="suites-columns"):
            with gr.Column(elem_id="suites-setup-column", elem_classes=["hw-column"], min_width=0):
                grid = build_grid(services)
            run = _build_run()
        with gr.Tab("Write suites", id="write", elem_id="suites-room-write") as edit_room:
            edit = _build_edit()
    return SuitesParts(rooms=rooms, edit_room=edit_room, grid=grid, run=run, edit=edit, secret=secret)


def _build_run() -> RunParts:
    with gr.Column(elem_id="suites-run-column", elem_classes=["hw-column"], min_width=0):
        with gr.Row(elem_id="suites-choose"):
            shown = _choice("Run", "shown")
            baseline = _choice("Compare with", "baseline")
            baseline_arm = _choice("its arm", "baseline-arm", is_visible=False)
            arm = _choice("with the arm", "arm", is_visible=False)
        bar = RunBar(elem_id="suites-bar")
        notice = Notice(elem_id="suites-notice")
        comparison = SuiteComparison(elem_id="suites-comparison")
        run = SuiteRun(elem_id="suites-run")
    with gr.Column(elem_id="suites-plays-column", elem_classes=["hw-column"], min_width=0):
        plays = SuitePlays(elem_id="suites-plays")
    return RunParts(
        shown=shown, baseline=baseline, baseline_arm=baseline_arm, arm=arm, notice=notice, bar=bar, run=run,
        comparison=comparison, plays=plays,
    )  # fmt: skip


def _build_edit() -> EditParts:
    with gr.Row(elem_id="suites-write-columns"):
        with gr.Column(elem_id="suites-list", elem_classes=["hw-column"], min_width=0):
            texts = TextList(elem_id="suites-texts")
            # No state: the browser keeps drafts by it.
            name = TextField(label="Open suite", elem_id="suites-name")
        with gr.Column(elem_id="suites-edit", elem_classes=["hw-column"], min_width=0):
            versions = Versions(elem_id="suites-versions")
            text = text_editor("Text of the suite", "yaml", "suites-text", is_wrapped=True, max_lines=32)
            notice = Notice(elem_id="suites-edit-notice")
            diff = TextDiff(elem_id="suites-diff")
        with gr.Column(elem_id="suites-see", elem_classes=["hw-column"], min_width=0):
            with gr.Row(elem_id="suites-see-acts"):
                rows = gr.UploadButton(
                    "Cases of a CSV file", file_types=[".csv"], size="sm", elem_id="suites-rows"
                )
                play = gr.Button("Choose for a run", size="sm", elem_id="suites-play")
            heading("What it comes to")
            checked = SuiteText(elem_id="suites-checked")
    return EditParts(
        texts=texts, name=name, text=text, versions=versions, notice=notice, diff=diff, rows=rows, play=play,
        checked=checked,
    )  # fmt: skip


def _choice(label: str, name: str, *, is_visible: bool = True) -> ChoiceField:
    return ChoiceField([], value=None, label=label, elem_id=f"suites-{name}", min_width=0, visible=is_visible)
