"""The components of the Suites tab: run form, results, editor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import gradio as gr

from workbench.app.runs.drafts import Drafts, contract_choices
from workbench.app.runs.reports import report_for
from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.records.runs import StoredRun
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import (
    ChoiceField,
    CodeEditor,
    NumberField,
    TextField,
    number_field,
    text_editor,
)
from workbench.ui.components.heading import heading
from workbench.ui.components.layout import fold
from workbench.ui.gradio_parts.names import Block
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.present.documents import EditorsView
from workbench.ui.present.notices import CLEAR, NoticeView
from workbench.ui.present.setup import first_choice, setup_label
from workbench.ui.present.suites.case_runs import CaseRunsView
from workbench.ui.present.suites.grid import (
    FIRST_SEED,
    FURTHER,
    GRAMMARS,
    LIMIT,
    MOST_TOKENS,
    REPEAT,
    TIMEOUT_S,
    GridFields,
)
from workbench.ui.present.suites.run import (
    ComparisonView,
    RunBarView,
    SelectedCase,
    SuiteRunView,
    run_label,
    show_run,
)
from workbench.ui.present.suites.run_list import MOST_RUNS, RunListView, show_runs
from workbench.ui.tabs.active_runs import ActiveRuns
from workbench.ui.tabs.suites.improve_form import ImproveParts, build_improve


class SuitesScreen(NamedTuple):
    """One value per component; omitted ones stay unchanged."""

    run: SuiteRunView | RunListView | Update = SAME
    bar: RunBarView | Update | None = SAME
    notice: NoticeView | Update = SAME
    comparison: ComparisonView | Update | None = SAME
    case_runs: CaseRunsView | Update | None = SAME
    shown: Update = SAME
    """The dropdown of the shown run."""
    baseline: Update = SAME
    """The dropdown of the run to compare with."""
    baseline_arm: Update = SAME
    arm: Update = SAME
    """The dropdown of the arm of the shown run."""


def run_choices(services: Services, shown: str | None = None) -> tuple[Update, Update]:
    """Return the choices of the shown run and of its baseline.

    Args:
        shown: The id of the run to choose; None leaves the choice unchanged.
    """
    choices = [(run_label(run), run.id) for run in services.runs.list_runs()]
    before = gr.update(choices=[("None", ""), *choices])
    if shown is None:
        return gr.update(choices=choices), before
    return gr.update(choices=choices, value=shown), before


def run_screen(
    services: Services, active_runs: ActiveRuns, stored: StoredRun, selected: SelectedCase | None = None
) -> SuitesScreen:
    """Return the screen with the report of a run and without a comparison.

    Args:
        selected: The case to open, or None.

    Raises:
        StoreError: The run cannot be read.
    """
    is_under_way = active_runs.is_under_way(services.owner, stored)
    shown, baseline = run_choices(services, stored.id)
    return SuitesScreen(
        run=show_run(report_for(services, stored), stored.listed, is_under_way=is_under_way, picked=selected),
        bar=active_runs.bar_of(services.owner),
        notice=CLEAR,
        comparison=None,
        case_runs=None,
        shown=shown,
        baseline=baseline,
    )


def list_runs(services: Services, *, undo_id: str = "", is_look: bool = False) -> RunListView:
    """Return the list of the owner's runs. See `show_runs` for the arguments.

    Raises:
        StoreError: The runs cannot be read.
    """
    return show_runs(
        services.runs.list_runs(limit=MOST_RUNS),
        services.runs.list_runs(is_deleted=True),
        now=services.calendar.now().astimezone(),
        undo_id=undo_id,
        is_look=is_look,
    )


def grid_choices(services: Services, drafts: Drafts) -> Sequence[Update]:
    """Return the current choices of suites, contracts, models, judges and persons."""
    models = list(services.models.names())
    return (
        gr.update(choices=list(suite_names(services))),
        gr.update(choices=contract_choices(services, drafts)),
        gr.update(choices=models),
        gr.update(choices=[("The model being tested", ""), *models]),
        gr.update(choices=[(RULES, ""), *models]),
    )


RULES: Final = "Rules of the case"
"""The choice of no model that acts as the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridParts:
    """The components of `GridFields`, the size of the run, and the button that starts it."""

    suites: gr.Dropdown
    contracts: gr.Dropdown
    models: gr.Dropdown
    tool_choices: gr.Dropdown
    grammars: gr.CheckboxGroup
    further: gr.CheckboxGroup
    repeat: NumberField
    temperatures: gr.Dropdown
    top_ps: gr.Dropdown
    seed: NumberField
    max_tokens: NumberField
    tags: gr.Dropdown
    limit: NumberField
    timeout_s: NumberField
    judge: gr.Dropdown
    person: gr.Dropdown
    size: Drawn
    start: gr.Button

    @property
    def fields(self) -> list[Block]:
        """The components in the order of `GridFields`."""
        return [getattr(self, name) for name in GridFields._fields]


def build_grid(services: Services) -> GridParts:
    """Build the form of a run."""
    settings, models = services.settings, list(services.models.names())
    heading("Run every combination of", about="how-to/measure-a-contract#on-the-page")
    suites = _many("Suites", list(suite_names(services)), ["nonsense"], "suites")
    contracts = _many(
        "Contracts", list(services.contract_names()), [settings.contract], "contracts", is_free=True
    )
    chosen = _many("Models", models, [settings.model], "models", is_free=True)
    tool_choices = _many(
        "Tool choice",
        ["auto", "required", "none"],
        [first_choice(services.models.status(settings.model))],
        "tool-choice",
        is_free=True,
    )
    temperatures = _many("Temperature", ["0", "0.3", "0.7", "1"], ["0"], "temperatures", is_free=True)
    top_ps = _many("Top p", ["0.5", "0.9", "0.95", "1"], ["0.95"], "top-ps", is_free=True)
    grammars = gr.CheckboxGroup(
        list(GRAMMARS), value=["on"], label=setup_label("is_constrained"), elem_id="suites-grammars"
    )
    further = gr.CheckboxGroup(list(FURTHER), label="Variations", elem_id="suites-further")
    repeat = number_field(REPEAT, "suites-repeat", 1)
    with fold("Cases and limits", "suites-more"):
        tags = _many("Case tags", [], [], "tags", is_free=True)
        limit = number_field(LIMIT, "suites-limit", 0)
        seed = number_field(FIRST_SEED, "suites-seed", 0)
        max_tokens = number_field(MOST_TOKENS, "suites-max-tokens", 256)
        timeout_s = number_field(TIMEOUT_S, "suites-timeout", 120)
        judge = gr.Dropdown(
            [("The model being tested", ""), *models], value=settings.judge or "", allow_custom_value=True,
            label="Rubric judge", elem_id="suites-judge", min_width=0,
        )  # fmt: skip
        person = gr.Dropdown(
            [(RULES, ""), *models], value="", allow_custom_value=True,
            label="Person in conversations", elem_id="suites-person", min_width=0,
        )  # fmt: skip
    size = Drawn("notice", elem_id="suites-size")
    start = gr.Button("Run suites", variant="primary", size="sm", elem_id="suites-start")
    return GridParts(
        suites=suites, contracts=contracts, models=chosen, tool_choices=tool_choices, grammars=grammars,
        further=further, repeat=repeat, temperatures=temperatures, top_ps=top_ps, seed=seed,
        max_tokens=max_tokens, tags=tags, limit=limit, timeout_s=timeout_s, judge=judge, person=person,
        size=size, start=start,
    )  # fmt: skip


def _many(
    label: str, choices: list[str], chosen: list[str], name: str, *, is_free: bool = False
) -> ChoiceField:
    """Build a dropdown with several choices. With `is_free`, users can also type values such as `minimal@3`."""
    selected = [name for name in chosen if is_free or name in choices]
    return ChoiceField(
        choices, value=selected, multiselect=True, allow_custom_value=is_free, label=label,
        elem_id=f"suites-{name}", min_width=0,
    )  # fmt: skip


EDITORS: Final = EditorsView(
    names=(("suites-text", "Suite text"),), tooltips=(("suites-contracts", "contract"),)
)
EDITED: Final = (
    "(state, name, text, ...rest) => [state, ...hermesWorkbench.documents.named('suites-text'), ...rest]"
)
"""Reads the name and the text of the open suite from its document, so that they belong together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """The components that show a run's results."""

    shown: gr.Dropdown
    baseline: gr.Dropdown
    baseline_arm: gr.Dropdown
    arm: gr.Dropdown
    notice: Drawn
    bar: Drawn
    run: Drawn
    comparison: Drawn
    case_runs: Drawn

    @property
    def screen(self) -> list[Block]:
        """The components that a `SuitesScreen` has values for, in its order."""
        return [getattr(self, name) for name in SuitesScreen._fields]

    @property
    def compared(self) -> list[Block]:
        """The dropdowns that choose the runs and arms to compare."""
        return [self.shown, self.baseline, self.baseline_arm, self.arm]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditParts:
    """The components of the suite editor."""

    editors: Drawn
    texts: Drawn
    name: TextField
    text: CodeEditor
    versions: Drawn
    notice: Drawn
    diff: Drawn
    rows: gr.UploadButton
    use: gr.Button
    checked: Drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitesParts:
    """All components of the tab."""

    rooms: gr.Tabs
    edit_room: gr.Tab
    grid: GridParts
    improve: ImproveParts
    run: RunParts
    edit: EditParts


def build(services: Services) -> SuitesParts:
    """Build the tab, empty."""
    editors = Drawn("editors", EDITORS, elem_id="suites-editors")
    Drawn("suite_keys", elem_id="suites-keys")
    with gr.Tabs(elem_id="suites-rooms") as rooms:
        with gr.Tab("Runs", id="runs", elem_id="suites-room-runs"), gr.Row(elem_id="suites-columns"):
            with gr.Column(elem_id="suites-setup-column", elem_classes=["hw-column"], min_width=0):
                grid = build_grid(services)
                improve = build_improve(services)
            run = _build_run()
        with gr.Tab("Edit suites", id="write", elem_id="suites-room-write") as edit_room:
            edit = _build_edit(editors)
    return SuitesParts(rooms=rooms, edit_room=edit_room, grid=grid, improve=improve, run=run, edit=edit)


def _build_run() -> RunParts:
    with gr.Column(elem_id="suites-run-column", elem_classes=["hw-column"], min_width=0):
        with gr.Row(elem_id="suites-choose"):
            shown = _choice("Run", "shown")
            baseline = _choice("Compare with", "baseline")
            baseline_arm = _choice("Baseline arm", "baseline-arm", is_visible=False)
            arm = _choice("Arm", "arm", is_visible=False)
        bar = Drawn("run_bar", elem_id="suites-bar")
        notice = Drawn("notice", elem_id="suites-notice")
        comparison = Drawn("suite_comparison", elem_id="suites-comparison")
        run = Drawn("suite_run", elem_id="suites-run")
    with gr.Column(elem_id="suites-plays-column", elem_classes=["hw-column"], min_width=0):
        case_runs = Drawn("suite_case_runs", elem_id="suites-plays")
    return RunParts(
        shown=shown, baseline=baseline, baseline_arm=baseline_arm, arm=arm, notice=notice, bar=bar, run=run,
        comparison=comparison, case_runs=case_runs,
    )  # fmt: skip


def _build_edit(editors: Drawn) -> EditParts:
    with gr.Row(elem_id="suites-write-columns"):
        with gr.Column(elem_id="suites-list", elem_classes=["hw-column"], min_width=0):
            texts = Drawn("text_list", elem_id="suites-texts")
            # Not a `gr.State`, whose changes fire no event that the preview could follow.
            name = TextField(label="Open suite", elem_id="suites-name")
        with gr.Column(elem_id="suites-edit", elem_classes=["hw-column"], min_width=0):
            versions = Drawn("versions", elem_id="suites-versions")
            text = text_editor("Suite text", "yaml", "suites-text", is_wrapped=True, max_lines=32)
            notice = Drawn("notice", elem_id="suites-edit-notice")
            diff = Drawn("version_diff", elem_id="suites-diff")
        with gr.Column(elem_id="suites-see", elem_classes=["hw-column"], min_width=0):
            with gr.Row(elem_id="suites-see-acts"):
                rows = gr.UploadButton(
                    "Add cases from a file",
                    file_count="multiple",
                    file_types=[".csv", ".yaml", ".yml", ".json", ".jsonl"],
                    size="sm",
                    elem_id="suites-rows",
                )
                use = gr.Button("Use in a run", size="sm", elem_id="suites-play")
            heading("Preview", about="reference/suites")
            checked = Drawn("suite_text", elem_id="suites-checked")
    return EditParts(
        editors=editors, texts=texts, name=name, text=text, versions=versions, notice=notice, diff=diff, rows=rows,
        use=use, checked=checked,
    )  # fmt: skip


def _choice(label: str, name: str, *, is_visible: bool = True) -> ChoiceField:
    return ChoiceField([], value=None, label=label, elem_id=f"suites-{name}", min_width=0, visible=is_visible)
