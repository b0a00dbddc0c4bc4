"""The left column: contract, tools, model, tool choice and sampling."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

import gradio as gr

from workbench.app.services import Services
from workbench.records.run_config import RunConfig
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import (
    UNSIZED,
    ChoiceField,
    LazyEditor,
    TextField,
    lazy_text_editor,
)
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.names import Block
from workbench.ui.present.sampling_form import SamplingView
from workbench.ui.present.setup import SETUP_FIELDS, setup_label, show_setup, tool_choices

_EMPTY: Final = RunConfig(contract_name="", contract_text="", tools_text="[]")


class SamplingForm(Drawn):
    """The numbers below the model, whose value is a `SamplingView` in both directions."""

    # Gradio annotates the payload as str, but its browser side sends any JSON.
    def preprocess(self, payload: Mapping[str, object] | None) -> SamplingView:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the values; fields that the browser did not send have none."""
        values = (payload or {}).get("values")
        return SamplingView(
            values=cast("Mapping[str, object]", values) if isinstance(values, Mapping) else {}
        )


class ToolSwitches(Drawn):
    """A switch for each tool, shown by a `ToolSwitchesView`. Its value for events is the set of disabled tools."""

    # Gradio annotates the payload as str, but its browser side sends any JSON.
    def preprocess(self, payload: Mapping[str, object] | None) -> frozenset[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the names of the tools that are off."""
        names = (payload or {}).get("disabled")
        return (
            frozenset(name for name in cast("list[object]", names) if isinstance(name, str))
            if isinstance(names, list)
            else frozenset()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractParts:
    """The contract, its variables, and the resulting system text."""

    contract: gr.Dropdown
    versions: Drawn
    contract_editor: LazyEditor
    contract_notice: Drawn
    ephemeral: TextField
    variables: TextField
    variable_fields: Drawn
    system_text: Drawn

    @property
    def contract_text(self) -> TextField:
        """The contract's text."""
        return self.contract_editor.text


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupToolsParts:
    """The tools: JSON text and one switch per tool."""

    toolset: gr.Dropdown
    """The chosen toolsets."""
    tools_editor: LazyEditor
    tools_notice: Drawn
    disabled_tools: ToolSwitches

    @property
    def tools_text(self) -> TextField:
        """The tools as JSON."""
        return self.tools_editor.text


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParts:
    """The model and the tool choice."""

    model: gr.Dropdown
    tool_choice: gr.Dropdown
    is_constrained: gr.Checkbox
    model_notice: Drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupParts:
    """The left column, from top to bottom."""

    presets: Drawn
    stored: TextField
    """The setup that the browser stores, as JSON, read when the page is opened."""
    contract: ContractParts
    tools: SetupToolsParts
    model: ModelParts
    sampling: Drawn

    @property
    def fields(self) -> list[Block]:
        """The components in the order of `SETUP_FIELDS`."""
        return [self._field(name) for name in SETUP_FIELDS]

    @property
    def composed(self) -> list[Block]:
        """The components that `SetupEvents.on_compose` writes."""
        own = self.contract
        return [own.system_text, own.contract_notice, own.variable_fields]

    @property
    def filled(self) -> list[Block]:
        """The components of the values that `SetupEvents.filled` returns, in its order."""
        return [*self.fields, self.tools.toolset, self.model.model_notice]

    def _field(self, name: str) -> Block:
        if name == "sampling":
            return self.sampling
        own = "contract" if name == "contract_name" else name
        section = next(part for part in (self.contract, self.tools, self.model) if hasattr(part, own))
        return cast(Block, getattr(section, own))


def build_setup(services: Services) -> SetupParts:
    """Build the column; opening the page fills in its values."""
    with gr.Column(elem_id="play-setup", elem_classes=["hw-column"], min_width=0):
        return SetupParts(
            presets=Drawn("preset_bar", elem_id="play-presets"),
            stored=TextField(visible=False, elem_id="play-stored-setup"),
            contract=_build_contract(services),
            tools=_build_tools(services),
            model=_build_model(services),
            sampling=SamplingForm("sampling", show_setup(_EMPTY)["sampling"], elem_id="play-sampling"),
        )


def _build_contract(services: Services) -> ContractParts:
    heading("Contract", term="contract")
    Drawn("wide_contract", elem_id="play-wide-contract")
    return ContractParts(
        contract=_dropdown(setup_label("contract_name"), list(services.contract_names()), "play-contract"),
        versions=Drawn("versions", elem_id="play-versions"),
        contract_editor=lazy_text_editor(
            setup_label("contract_text"), "markdown", "play-contract-text", is_wrapped=True
        ),
        contract_notice=Drawn("notice", elem_id="play-contract-notice"),
        ephemeral=TextField(
            label=setup_label("ephemeral"),
            lines=1,
            max_lines=6,
            placeholder="Appended to the system text",
            elem_id="play-ephemeral",
        ),
        variables=TextField(
            label=setup_label("variables"),
            lines=UNSIZED,
            placeholder="name = value",
            elem_id="play-variables",
            elem_classes=["hw-variable-lines"],
        ),
        variable_fields=Drawn("variable_fields", elem_id="play-variable-fields"),
        system_text=Drawn("system_text", elem_id="play-system-text"),
    )


def _build_tools(services: Services) -> SetupToolsParts:
    heading("Tools")
    return SetupToolsParts(
        toolset=_dropdown("Toolsets", list(services.catalog.toolsets()), "play-toolset", is_multiple=True),
        tools_editor=lazy_text_editor(setup_label("tools_text"), "json", "play-tools-text", is_wrapped=False),
        tools_notice=Drawn("notice", elem_id="play-tools-notice"),
        disabled_tools=ToolSwitches("tool_switches", elem_id="play-tool-switches"),
    )


def _build_model(services: Services) -> ModelParts:
    heading("Model")
    model = gr.Dropdown(
        list(services.models.names()),
        label=setup_label("model"),
        elem_id="play-model",
        allow_custom_value=True,
    )
    tool_choice = ChoiceField(tool_choices(()), label=setup_label("tool_choice"), elem_id="play-tool-choice")
    is_constrained = gr.Checkbox(
        value=True, label=setup_label("is_constrained"), container=False, elem_id="play-constrained"
    )
    notice = Drawn("notice", elem_id="play-model-notice")
    return ModelParts(
        model=model, tool_choice=tool_choice, is_constrained=is_constrained, model_notice=notice
    )


def _dropdown(label: str, choices: list[str], elem_id: str, *, is_multiple: bool = False) -> ChoiceField:
    return ChoiceField(
        choices,
        value=[] if is_multiple else None,
        multiselect=is_multiple,
        label=label,
        show_label=False,
        container=False,
        elem_id=elem_id,
    )
