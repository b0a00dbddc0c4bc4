"""The tab's parts, built."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.ui.components.choice_field import ChoiceField
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.editor import CodeEditor
from workbench.ui.components.fields import heading, text_editor
from workbench.ui.components.text_field import TextField
from workbench.ui.present.editors import EditorNamesView

EDITORS: Final = EditorNamesView(names=(("contracts-text", "Text of the contract"),))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractsParts:
    """All parts of the tab."""

    contracts: Drawn
    name: TextField
    text: CodeEditor
    versions: Drawn
    notice: Drawn
    lint: Drawn
    diff: Drawn
    use: gr.Button
    measure: gr.Button
    toolset: gr.Dropdown
    variables: TextField
    preview: Drawn
    measured_side: gr.Tab
    measured: Drawn


def build(services: Services) -> ContractsParts:
    """Builds the tab, empty."""
    Drawn("editor_names", EDITORS, elem_id="contracts-editor-names")
    with gr.Row(elem_id="contracts-columns"):
        with gr.Column(elem_id="contracts-list", elem_classes=["hw-column"], min_width=0):
            contracts = Drawn("text_list", elem_id="contracts-contracts")
            # No state: the browser keeps drafts by it.
            name = TextField(label="Open contract", elem_id="contracts-name")
        with gr.Column(elem_id="contracts-edit", elem_classes=["hw-column"], min_width=0):
            versions = Drawn("versions", elem_id="contracts-versions")
            text = text_editor(
                "Text of the contract", "markdown", "contracts-text", is_wrapped=True, max_lines=32
            )
            notice = Drawn("notice", elem_id="contracts-notice")
            heading("What a model would stumble over")
            lint = Drawn("notice", elem_id="contracts-lint")
            diff = Drawn("text_diff", elem_id="contracts-diff")
        with gr.Column(elem_id="contracts-see", elem_classes=["hw-column"], min_width=0):
            with gr.Row(elem_id="contracts-acts"):
                use = gr.Button("Use in Play", size="sm", elem_id="contracts-use")
                measure = gr.Button("Measure", size="sm", elem_id="contracts-measure")
            with gr.Tabs(elem_id="contracts-sides"):
                with gr.Tab("As the model gets it", elem_id="contracts-side-preview"):
                    toolset, variables, preview = _build_preview(services)
                with gr.Tab("Measured", elem_id="contracts-side-measured") as measured_side:
                    measured = Drawn("contract_measures", elem_id="contracts-measured")
    return ContractsParts(
        contracts=contracts, name=name, text=text, versions=versions, notice=notice, lint=lint, diff=diff,
        use=use, measure=measure, toolset=toolset, variables=variables, preview=preview,
        measured_side=measured_side, measured=measured,
    )  # fmt: skip


def _build_preview(services: Services) -> tuple[gr.Dropdown, TextField, Drawn]:
    toolset = ChoiceField(
        list(services.catalog.toolsets()),
        value=None,
        label="With the tools of",
        elem_id="contracts-toolset",
    )
    variables = TextField(
        label="Variables", lines=1, max_lines=6, placeholder="name = value, one a line",
        elem_id="contracts-variables",
    )  # fmt: skip
    preview = Drawn("preview", elem_id="contracts-preview")
    return toolset, variables, preview
