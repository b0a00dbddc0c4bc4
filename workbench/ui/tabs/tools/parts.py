"""The tab's parts, built."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.ui.components.editor import Editor
from workbench.ui.components.editor_names import EditorNames
from workbench.ui.components.fields import heading, text_editor
from workbench.ui.components.notice import Notice
from workbench.ui.components.tool_list import ToolList
from workbench.ui.components.tried import Tried
from workbench.ui.present.editors import EditorNamesView

EDITORS: Final = EditorNamesView(
    names=(
        ("tools-spec", "Spec as JSON"),
        ("tools-rules", "Mock rules as YAML"),
        ("tools-arguments", "Arguments as JSON"),
        ("tools-file", "File of the catalog"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsParts:
    """All parts of the tab."""

    tools: ToolList
    open_name: gr.State
    spec: Editor
    spec_notice: Notice
    rules: Editor
    rules_notice: Notice
    lint: Notice
    sizes: Notice
    arguments: Editor
    seed: gr.Number
    call_number: gr.Number
    call: gr.Button
    notice: Notice
    tried: Tried
    file: Editor


def build() -> ToolsParts:
    """Builds the tab, empty."""
    EditorNames(EDITORS, elem_id="tools-editor-names")
    with gr.Row(elem_id="tools-columns"):
        with gr.Column(elem_id="tools-list", elem_classes=["hw-column"], min_width=0):
            tools, open_name = ToolList(elem_id="tools-tools"), gr.State("")
        with gr.Column(elem_id="tools-edit", elem_classes=["hw-column"], min_width=0):
            heading("Spec, as JSON")
            spec = text_editor("Spec as JSON", "json", "tools-spec", is_wrapped=False, max_lines=18)
            spec_notice = Notice(elem_id="tools-spec-notice")
            heading("Mock rules, as YAML")
            rules = text_editor("Mock rules as YAML", "yaml", "tools-rules", is_wrapped=False, max_lines=22)
            rules_notice = Notice(elem_id="tools-rules-notice")
            heading("What makes models call it wrongly")
            lint = Notice(elem_id="tools-lint")
            heading("What it costs in a prompt")
            sizes = Notice(elem_id="tools-sizes")
        with gr.Column(elem_id="tools-try", elem_classes=["hw-column"], min_width=0):
            heading("Try a call")
            arguments = text_editor(
                "Arguments as JSON", "json", "tools-arguments", value="{}", is_wrapped=True
            )
            with gr.Row(elem_id="tools-terms"):
                seed = gr.Number(0, label="Seed", minimum=0, precision=0, min_width=0, elem_id="tools-seed")
                call_number = gr.Number(
                    1,
                    label="Call number",
                    minimum=1,
                    maximum=1000,
                    precision=0,
                    min_width=0,
                    elem_id="tools-call-number",
                )
            call = gr.Button("Call", variant="primary", size="md", elem_id="tools-call")
            notice = Notice(elem_id="tools-notice")
            tried = Tried(elem_id="tools-tried")
            heading("As a file of tools_catalog/")
            file = text_editor("File of the catalog", "yaml", "tools-file", is_wrapped=False, max_lines=14)
    return ToolsParts(
        tools=tools, open_name=open_name, spec=spec, spec_notice=spec_notice, rules=rules,
        rules_notice=rules_notice, lint=lint, sizes=sizes, arguments=arguments, seed=seed, call_number=call_number,
        call=call, notice=notice, tried=tried, file=file,
    )  # fmt: skip
