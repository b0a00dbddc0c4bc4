"""The left column: contract, tools and model, and below "More" what is seldom changed."""

from collections.abc import Mapping
from typing import Final, cast

import gradio as gr

from workbench.app.services import Services
from workbench.app.turn_request import Execution
from workbench.records.run_config import RunConfig
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import (
    UNSIZED,
    ChoiceField,
    TextField,
    lazy_text_editor,
    number_field,
)
from workbench.ui.components.heading import heading
from workbench.ui.components.layout import PlainRow, fold
from workbench.ui.gradio_parts.names import Block
from workbench.ui.present.sampling_form import SamplingView
from workbench.ui.present.setup import SETUP_FIELDS, setup_label, show_setup, tool_choices
from workbench.ui.present.words import SAMPLES

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


class SetupParts:
    """The left column; opening the page fills in its values. Each field of `SETUP_FIELDS` has an attribute."""

    def __init__(self, services: Services) -> None:
        with gr.Column(elem_id="play-setup", elem_classes=["hw-column", "is-opening"], min_width=0):
            self.stored = TextField(visible=False, elem_id="play-stored-setup")
            """The setup that the browser stores, as JSON, read when the page is opened."""
            self._build_contract(services)
            self._build_tools(services)
            self._build_model(services)
            with fold("More", "play-more", is_kept=True):
                self._build_more()

    @property
    def fields(self) -> list[Block]:
        """The components in the order of `SETUP_FIELDS`."""
        return [vars(self)[name] for name in SETUP_FIELDS]

    @property
    def composed(self) -> list[Block]:
        """The components that `SetupEvents.on_compose` writes."""
        return [self.system_text, self.contract_notice, self.variable_fields]

    @property
    def filled(self) -> list[Block]:
        """The components of the values that `SetupEvents.filled` returns, in its order."""
        return [*self.fields, self.toolset, self.model_notice]

    def _build_contract(self, services: Services) -> None:
        heading("Contract", about="reference/contracts", term="contract")
        names = list(services.contract_names())
        self.contract_name = _dropdown(setup_label("contract_name"), names, "play-contract")
        self.versions = Drawn("versions", elem_id="play-versions")
        self.contract_text, self.contract_code = lazy_text_editor(
            setup_label("contract_text"), "markdown", "play-contract-text", is_wrapped=True
        )
        self.contract_notice = Drawn("notice", elem_id="play-contract-notice")
        self.variables = TextField(
            label=setup_label("variables"),
            lines=UNSIZED,
            placeholder="name = value",
            elem_id="play-variables",
            elem_classes=["hw-variable-lines"],
        )
        self.variable_fields = Drawn("variable_fields", elem_id="play-variable-fields")

    def _build_tools(self, services: Services) -> None:
        heading("Tools", about="reference/tools")
        toolsets = list(services.catalog.toolsets())
        self.toolset = _dropdown("Toolsets", toolsets, "play-toolset", is_multiple=True)
        self.disabled_tools = ToolSwitches("tool_switches", elem_id="play-tool-switches")
        with fold("Edit as JSON", "play-tools-edit", is_kept=True):
            self.tools_text, self.tools_code = lazy_text_editor(
                setup_label("tools_text"), "json", "play-tools-text", is_wrapped=False
            )
        self.tools_notice = Drawn("notice", elem_id="play-tools-notice")

    def _build_model(self, services: Services) -> None:
        self.model = gr.Dropdown(
            list(services.models.names()),
            label=setup_label("model"),
            elem_id="play-model",
            allow_custom_value=True,
        )
        self.model_notice = Drawn("notice", elem_id="play-model-notice")

    def _build_more(self) -> None:
        self.presets = Drawn("preset_bar", elem_id="play-presets")
        with PlainRow(elem_id="play-terms"):
            self.execution = gr.Dropdown(
                list(EXECUTIONS),
                value=Execution.AUTO.value,
                label="Tool calls",
                min_width=0,
                elem_id="play-execution",
            )
            self.samples = number_field(SAMPLES, "play-samples", 1)
            self.rows = Drawn("row_run", elem_id="play-rows")
        self.tool_choice = ChoiceField(
            tool_choices(()), label=setup_label("tool_choice"), elem_id="play-tool-choice"
        )
        self.is_constrained = gr.Checkbox(
            value=True, label=setup_label("is_constrained"), container=False, elem_id="play-constrained"
        )
        self.ephemeral = TextField(
            label=setup_label("ephemeral"),
            lines=1,
            max_lines=6,
            placeholder="Appended to the system text",
            elem_id="play-ephemeral",
        )
        self.system_text = Drawn("system_text", elem_id="play-system-text")
        self.sampling = SamplingForm("sampling", show_setup(_EMPTY)["sampling"], elem_id="play-sampling")


EXECUTIONS: Final = (
    ("Run", Execution.AUTO.value),
    ("Ask first", Execution.STEP.value),
    ("Don't run", Execution.STOP.value),
)
"""The choices of `Execution`, with their labels."""


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
