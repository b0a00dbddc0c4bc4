"""The Contracts tab."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.runs.casting import measured
from workbench.app.runs.drafts import DRAFT, contract_choices
from workbench.app.services import Services
from workbench.contract.compose import compose
from workbench.contract.contract import parse_contract, parse_variables
from workbench.contract.lint import lint_contract
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.versions import VersionKind
from workbench.toolspec.spec import OfferedTools
from workbench.ui.choices import list_choices, toolsets_of
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import ChoiceField, CodeEditor, TextField, text_editor
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.listen import after_loading, any_of, listen
from workbench.ui.gradio_parts.names import Block
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.contracts import STALE_PREVIEW, PreviewView, show_lint, show_preview
from workbench.ui.present.documents import (
    PLAY_EDITORS,
    EditorsView,
    contract_change,
    edited_in,
    variables_change,
)
from workbench.ui.present.fold import FoldView
from workbench.ui.present.measures import MeasuresView, show_measures
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.present.suites.grid import ABLATE, OPEN_IMPROVE
from workbench.ui.present.variables import VariablesView, show_variable_fields
from workbench.ui.present.versions import VersionsView
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.setup_events import count_tokens
from workbench.ui.tabs.stored_text import StoredTextEvents
from workbench.ui.tabs.version_events import TextNameEvents

_EDITOR: Final = "contracts-text"
EDITORS: Final = EditorsView(names=((_EDITOR, "Contract text"),))
EDITED: Final = edited_in(_EDITOR, "contract")
SuitesUpdate = tuple[Update, Update, Update | FoldView, Update, NoticeView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractsParts:
    """All components of the tab."""

    editors: Drawn
    contracts: Drawn
    name: TextField
    text: CodeEditor
    versions: Drawn
    notice: Drawn
    lint: Drawn
    diff: Drawn
    use: gr.Button
    measure: gr.Button
    improve: gr.Button
    toolset: gr.Dropdown
    variables: TextField
    variable_fields: Drawn
    preview: Drawn
    measured_side: gr.Tab
    measured: Drawn


def build(services: Services) -> ContractsParts:
    """Build the tab, empty."""
    editors = Drawn("editors", EDITORS, elem_id="contracts-editors")
    with gr.Row(elem_id="contracts-columns"):
        with gr.Column(elem_id="contracts-list", elem_classes=["hw-column"], min_width=0):
            contracts = Drawn("text_list", elem_id="contracts-contracts")
            # Not a `gr.State`, whose changes fire no event that the preview could follow.
            name = TextField(label="Open contract", elem_id="contracts-name")
        with gr.Column(elem_id="contracts-edit", elem_classes=["hw-column"], min_width=0):
            versions = Drawn("versions", elem_id="contracts-versions")
            text = text_editor("Contract text", "markdown", "contracts-text", is_wrapped=True, max_lines=32)
            notice = Drawn("notice", elem_id="contracts-notice")
            heading("Problems", about="reference/contracts#lint", term="finding")
            lint = Drawn("notice", elem_id="contracts-lint")
            diff = Drawn("version_diff", elem_id="contracts-diff")
        with gr.Column(elem_id="contracts-see", elem_classes=["hw-column"], min_width=0):
            with gr.Row(elem_id="contracts-acts"):
                use = gr.Button("Use in Play", size="sm", elem_id="contracts-use")
                measure = gr.Button("Measure in Suites", size="sm", elem_id="contracts-measure")
                improve = gr.Button("Improve in Suites", size="sm", elem_id="contracts-improve")
            with gr.Tabs(elem_id="contracts-sides"):
                with gr.Tab("Preview", elem_id="contracts-side-preview"):
                    toolset, variables, variable_fields, preview = _build_preview(services)
                with gr.Tab("Measurements", elem_id="contracts-side-measured") as measured_side:
                    measured = Drawn("contract_measures", elem_id="contracts-measured")
    return ContractsParts(
        editors=editors, contracts=contracts, name=name, text=text, versions=versions, notice=notice,
        lint=lint, diff=diff, use=use, measure=measure, improve=improve, toolset=toolset, variables=variables,
        variable_fields=variable_fields, preview=preview,
        measured_side=measured_side, measured=measured,
    )  # fmt: skip


def _build_preview(services: Services) -> tuple[gr.Dropdown, TextField, Drawn, Drawn]:
    toolset = ChoiceField(
        list(services.catalog.toolsets()),
        value=None,
        label="Toolset",
        elem_id="contracts-toolset",
    )
    variables = TextField(
        label="Variables", lines=1, max_lines=6, placeholder="name = value, one per line",
        elem_id="contracts-variables", elem_classes=["hw-variable-lines"],
    )  # fmt: skip
    variable_fields = Drawn("variable_fields", elem_id="contracts-variable-fields")
    preview = Drawn("preview", elem_id="contracts-preview")
    return toolset, variables, variable_fields, preview


BLANK: Final = """---
title: {name}
family: hermes-lines
description: What it is for.
---
You can call tools. These are your tools:
<tools>
{{{{ tools }}}}
</tools>
"""
"""The text of a new contract."""


def contract_texts(services: Services) -> StoredTextEvents:
    """Return the handlers of the list, the editor and the versions of contracts."""
    return StoredTextEvents(
        services,
        VersionKind.CONTRACT,
        names=lambda own: own.contract_names(),
        newest=lambda own, name: own.contract_version(name).text,
        blank=BLANK,
        editors=EDITORS,
        field="contracts-text",
    )


@dataclass(frozen=True, slots=True)
class ContractEvents:
    """Handlers of the contract in the editor."""

    services: Services
    texts: StoredTextEvents

    @needs(Permission.WORK)
    def on_toolset(self, state: TabState, name: str, chosen: str | None, request: gr.Request) -> Update:
        """Refresh the toolsets, and choose the default one when the tab is opened for the first time."""
        services = services_of(self.services, state, request)
        toolsets, first = toolsets_of(services), next(iter(services.settings.tools), "")
        update = list_choices(toolsets, chosen)
        return {**update, "value": first} if not name and first in toolsets else update

    @needs(Permission.WORK)
    def on_text(
        self, state: TabState, name: str, text: str, toolset: str | None, variables: str, request: gr.Request
    ) -> tuple[VersionsView | None, NoticeView, PreviewView | Update | None, VariablesView | Update | None]:
        """Return the version line, problems, preview and variables of the text as it is typed."""
        if not name:
            return None, CLEAR, None, None
        services = services_of(self.services, state, request)
        line = self.texts.version_line(services, name, text)
        try:
            tools = services.tools.select((toolset,)) if toolset else OfferedTools()
            contract = parse_contract(text, name=name)
            findings = lint_contract(contract, tools)
        except BadInput as error:
            return line, show_lint((), _EDITOR, error), STALE_PREVIEW, SAME
        fields: VariablesView | Update = SAME
        try:
            values = parse_variables(variables)
            fields = show_variable_fields(contract, values)
            declared = {name: value for name, value in values.items() if name in contract.variables}
            composed = compose(contract, tools, variables={"date": services.today(), **declared})
        except BadInput as error:
            return line, show_lint(findings, _EDITOR, error), STALE_PREVIEW, fields
        tokens = count_tokens(self.services.models, self.services.settings.model, composed)
        return line, show_lint(findings, _EDITOR), show_preview(composed, tokens=tokens), fields

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, SAME, NOTICE)
    def on_use(
        self, state: TabState, name: str, text: str, variables: str, request: gr.Request
    ) -> tuple[object, ...]:
        """Choose the contract in Play, which shows the same draft, with the variables that were set."""
        services = services_of(self.services, state, request)
        parse_contract(text, name=name)
        names = services.contract_names()
        saved = services.contract_version(name).text if name in names else None
        changes = (contract_change(name, text, saved=saved), variables_change(state, variables))
        shown = PLAY_EDITORS.changed(services.calendar.seconds(), *changes)
        return gr.update(choices=sorted({*names, name}), value=name), shown, gr.update(selected="play"), CLEAR

    @needs(Permission.WORK)
    @shows_error(None, NOTICE)
    def on_measures(
        self, state: TabState, name: str, request: gr.Request
    ) -> tuple[MeasuresView | None, NoticeView | Update]:
        """Return what runs and sessions show about the contract's versions, or None if there is no data."""
        if not name:
            return None, SAME
        found = measured(services_of(self.services, state, request), name)
        return show_measures(found) if found.arms or found.days else None, SAME

    @needs(Permission.WORK)
    def on_measure(self, state: TabState, name: str, text: str, request: gr.Request) -> SuitesUpdate:
        """Open the Suites tab with the contract and its ablation chosen."""
        return self._in_suites(state, name, text, request, is_search=False)

    @needs(Permission.WORK)
    def on_improve(self, state: TabState, name: str, text: str, request: gr.Request) -> SuitesUpdate:
        """Open the Suites tab with the contract chosen and the fields of a search."""
        return self._in_suites(state, name, text, request, is_search=True)

    def _in_suites(
        self, state: TabState, name: str, text: str, request: gr.Request, *, is_search: bool
    ) -> SuitesUpdate:
        services = services_of(self.services, state, request)
        try:
            names = services.contract_names()
            is_saved = name in names and text == services.contract_version(name).text
        except WorkbenchError as error:
            return SAME, SAME, SAME, SAME, problem(error)
        drafts = {} if is_saved else {name + DRAFT: text}
        chosen = gr.update(choices=contract_choices(services, drafts), value=list(drafts) or [name])
        further, opened = ([], OPEN_IMPROVE) if is_search else ([ABLATE], SAME)
        return chosen, gr.update(value=further), opened, gr.update(selected="suites"), CLEAR


def wire(
    parts: ContractsParts,
    services: Services,
    state: gr.State,
    *,
    tab: gr.Tab,
    tabs: gr.Tabs,
    play: list[Block],
    measure: list[Block],
    download: Drawn,
) -> None:
    """Connect the components with their handlers.

    Args:
        tab: The tab itself; opening it asks the browser which contract was open.
        play: The contract and the editors of the Play tab.
        measure: The contracts and variations in the form of a run, and the button of a search's fields.
        download: Saves texts as files.
    """
    texts = contract_texts(services)
    events = ContractEvents(services, texts)
    edited = [state, parts.name, parts.text]
    opened = [parts.contracts, parts.name, parts.editors, parts.notice, parts.diff]
    listen(tab.select, texts.on_tab, [state, parts.name], [parts.contracts])
    listen(tab.select, events.on_toolset, [state, parts.name, parts.toolset], [parts.toolset])
    listen(parts.contracts.event("open_text"), texts.on_open, [state], opened, is_latest_only=True)
    # One listener for all fields, so that its last run has seen every change, in whatever order they come.
    changed = any_of(parts.text.change, parts.name.change, parts.toolset.change, parts.variables.change)
    seen = [parts.versions, parts.lint, parts.preview, parts.variable_fields]
    inputs = [*edited, parts.toolset, parts.variables]
    listen(changed, events.on_text, inputs, seen, js=EDITED, is_latest_only=True)
    line, result = parts.versions, [parts.contracts, parts.versions, parts.notice, parts.editors]
    listen(line.event("save_version"), texts.on_save, edited, result, js=EDITED)
    listen(line.event("mark_version"), texts.on_mark, edited, result, js=EDITED)
    listen(line.event("restore_version"), texts.on_restore, edited, [parts.diff, *result], js=EDITED)
    for compared in (line, parts.diff):
        listen(
            compared.event("compare_version"), texts.on_compare, edited, [parts.diff, parts.notice], js=EDITED
        )
    names = TextNameEvents(services, VersionKind.CONTRACT, texts)
    listen(line.event("change_name"), names.on_change, edited, [*opened, line], js=EDITED)
    listen(line.event("download_version"), names.on_download, [state], [download, parts.notice])
    used = [*edited, parts.variables]
    listen(parts.use.click, events.on_use, used, [*play, tabs, parts.notice], js=EDITED)
    for button, opens in ((parts.measure, events.on_measure), (parts.improve, events.on_improve)):
        listen(button.click, opens, edited, [*measure, tabs, parts.notice], js=after_loading("suites"))
    opened_side = any_of(parts.measured_side.select, parts.name.change, tab.select)
    listen(
        opened_side,
        events.on_measures,
        [state, parts.name],
        [parts.measured, parts.notice],
        is_latest_only=True,
    )
