"""The tab's parts, built: runs with their fields and what they came to, and the editor of suites."""

from dataclasses import dataclass
from typing import Final

import gradio as gr
from gradio.blocks import Block

from workbench.app.services import Services
from workbench.ui.components.choice_field import ChoiceField
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.editor import CodeEditor
from workbench.ui.components.fields import heading, text_editor
from workbench.ui.components.text_field import TextField
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
    notice: Drawn
    bar: Drawn
    run: Drawn
    comparison: Drawn
    plays: Drawn

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

    texts: Drawn
    name: TextField
    text: CodeEditor
    versions: Drawn
    notice: Drawn
    diff: Drawn
    rows: gr.UploadButton
    play: gr.Button
    checked: Drawn


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
    Drawn("editor_names", EDITORS, elem_id="suites-editor-names")
    Drawn("suite_keys", elem_id="suites-keys")
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
        bar = Drawn("run_bar", elem_id="suites-bar")
        notice = Drawn("notice", elem_id="suites-notice")
        comparison = Drawn("suite_comparison", elem_id="suites-comparison")
        run = Drawn("suite_run", elem_id="suites-run")
    with gr.Column(elem_id="suites-plays-column", elem_classes=["hw-column"], min_width=0):
        plays = Drawn("suite_plays", elem_id="suites-plays")
    return RunParts(
        shown=shown, baseline=baseline, baseline_arm=baseline_arm, arm=arm, notice=notice, bar=bar, run=run,
        comparison=comparison, plays=plays,
    )  # fmt: skip


def _build_edit() -> EditParts:
    with gr.Row(elem_id="suites-write-columns"):
        with gr.Column(elem_id="suites-list", elem_classes=["hw-column"], min_width=0):
            texts = Drawn("text_list", elem_id="suites-texts")
            # No state: the browser keeps drafts by it.
            name = TextField(label="Open suite", elem_id="suites-name")
        with gr.Column(elem_id="suites-edit", elem_classes=["hw-column"], min_width=0):
            versions = Drawn("versions", elem_id="suites-versions")
            text = text_editor("Text of the suite", "yaml", "suites-text", is_wrapped=True, max_lines=32)
            notice = Drawn("notice", elem_id="suites-edit-notice")
            diff = Drawn("text_diff", elem_id="suites-diff")
        with gr.Column(elem_id="suites-see", elem_classes=["hw-column"], min_width=0):
            with gr.Row(elem_id="suites-see-acts"):
                rows = gr.UploadButton(
                    "Cases of a CSV file", file_types=[".csv"], size="sm", elem_id="suites-rows"
                )
                play = gr.Button("Choose for a run", size="sm", elem_id="suites-play")
            heading("What it comes to")
            checked = Drawn("suite_text", elem_id="suites-checked")
    return EditParts(
        texts=texts, name=name, text=text, versions=versions, notice=notice, diff=diff, rows=rows, play=play,
        checked=checked,
    )  # fmt: skip


def _choice(label: str, name: str, *, is_visible: bool = True) -> ChoiceField:
    return ChoiceField([], value=None, label=label, elem_id=f"suites-{name}", min_width=0, visible=is_visible)
