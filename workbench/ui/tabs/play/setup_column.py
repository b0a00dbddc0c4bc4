"""The left column: contract, tools, model, tool choice and sampling."""

from dataclasses import dataclass

import gradio as gr
from gradio.blocks import Block

from workbench.desk.services import Services
from workbench.ui.components.notice import Notice
from workbench.ui.components.system_text import SystemText
from workbench.ui.present.setup import SetupFields, tool_choices


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupParts:
    """The column's parts, from top to bottom."""

    contract: gr.Dropdown
    contract_text: gr.Code
    contract_notice: Notice
    system_text: SystemText
    toolset: gr.Dropdown
    tools_text: gr.Code
    tools_notice: Notice
    enabled_tools: gr.CheckboxGroup
    disabled_tools: gr.State
    model: gr.Dropdown
    tool_choice: gr.Dropdown
    model_notice: Notice
    temperature: gr.Number
    top_p: gr.Number
    top_k: gr.Number
    seed: gr.Number
    max_tokens: gr.Number
    max_rounds: gr.Number

    @property
    def fields(self) -> list[Block]:
        """In the order of `SetupFields`."""
        return [getattr(self, "contract" if name == "contract_name" else name) for name in SetupFields._fields]


def build_setup(services: Services) -> SetupParts:
    """Builds the column; its values come when the page is opened."""
    with gr.Column(elem_id="play-setup", elem_classes=["hw-column"], min_width=0):
        gr.HTML("<h2>Contract</h2>", apply_default_css=False, elem_classes=["hw-h"])
        contract = gr.Dropdown(
            list(services.library.contract_names()), label="Contract", show_label=False, container=False,
            elem_id="play-contract", elem_classes=["hw-field"],
        )  # fmt: skip
        contract_text = gr.Code(
            language="markdown", label="Contract text", show_label=False, container=False, lines=6,
            max_lines=9, wrap_lines=True, buttons=[], interactive=True,
            elem_id="play-contract-text", elem_classes=["hw-editor"],
        )  # fmt: skip
        contract_notice = Notice(elem_id="play-contract-notice")
        system_text = SystemText(elem_id="play-system-text")
        gr.HTML("<h2>Tools</h2>", apply_default_css=False, elem_classes=["hw-h"])
        toolset = gr.Dropdown(
            list(services.catalog.toolsets()), label="Toolset", show_label=False, container=False,
            elem_id="play-toolset", elem_classes=["hw-field"],
        )  # fmt: skip
        tools_text = gr.Code(
            language="json", label="Tools as JSON", show_label=False, container=False, lines=6,
            max_lines=9, show_line_numbers=True, buttons=[], interactive=True,
            elem_id="play-tools-text", elem_classes=["hw-editor"],
        )  # fmt: skip
        tools_notice = Notice(elem_id="play-tools-notice")
        enabled_tools = gr.CheckboxGroup(
            [], label="Tools that are switched on", show_label=False, container=False,
            elem_id="play-enabled-tools", elem_classes=["hw-field", "hw-mono"],
        )  # fmt: skip
        model_parts = _build_model(services)
    return SetupParts(
        contract=contract,
        contract_text=contract_text,
        contract_notice=contract_notice,
        system_text=system_text,
        toolset=toolset,
        tools_text=tools_text,
        tools_notice=tools_notice,
        enabled_tools=enabled_tools,
        disabled_tools=gr.State(frozenset[str]()),
        **model_parts,
    )


def _build_model(services: Services) -> dict[str, Block]:
    gr.HTML("<h2>Model</h2>", apply_default_css=False, elem_classes=["hw-h"])
    parts: dict[str, Block] = {
        "model": gr.Dropdown(
            list(services.models.names()), label="Model", elem_id="play-model", allow_custom_value=True
        ),
        "tool_choice": gr.Dropdown(tool_choices(()), label="Tool choice", elem_id="play-tool-choice"),
        "model_notice": Notice(elem_id="play-model-notice"),
    }
    with gr.Row(elem_id="play-sampling"):
        for name, label, options in _NUMBERS:
            elem_id = f"play-{name.replace('_', '-')}"
            parts[name] = gr.Number(label=label, elem_id=elem_id, min_width=0, **options)
    return parts


_NUMBERS = (
    ("temperature", "Temperature", {"minimum": 0, "maximum": 2, "step": 0.1}),
    ("top_p", "Top p", {"minimum": 0, "maximum": 1, "step": 0.05}),
    ("top_k", "Top k", {"minimum": 0, "maximum": 1000, "precision": 0}),
    ("seed", "Seed", {"minimum": 0, "maximum": 2**31 - 1, "precision": 0}),
    ("max_tokens", "Max tokens", {"minimum": 1, "maximum": 32768, "precision": 0}),
    ("max_rounds", "Max rounds", {"minimum": 1, "maximum": 100, "precision": 0}),
)
