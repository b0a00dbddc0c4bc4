"""The fields of a run: every combination of what is chosen in them is an arm."""

from dataclasses import dataclass

import gradio as gr
from gradio.blocks import Block

from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.ui.components.choice_field import ChoiceField
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import heading
from workbench.ui.components.number_field import NumberField, number_field
from workbench.ui.present.setup import first_choice
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


@dataclass(frozen=True, slots=True, kw_only=True)
class GridParts:
    """The fields by the names of `GridFields`, how much they ask for, and the button."""

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
    size: Drawn
    start: gr.Button

    @property
    def fields(self) -> list[Block]:
        """The fields, in the order of `GridFields`."""
        return [getattr(self, name) for name in GridFields._fields]


def build_grid(services: Services) -> GridParts:
    """Builds the fields."""
    settings, models = services.settings, list(services.models.names())
    heading("Play every combination of")
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
    grammars = gr.CheckboxGroup(list(GRAMMARS), value=["on"], label="Calls", elem_id="suites-grammars")
    further = gr.CheckboxGroup(list(FURTHER), label="Each also", elem_id="suites-further")
    repeat = number_field(REPEAT, "suites-repeat", 1)
    with gr.Accordion("Cases and limits", open=False, elem_id="suites-more"):
        tags = _many("Only cases tagged", [], [], "tags", is_free=True)
        limit = number_field(LIMIT, "suites-limit", 0)
        seed = number_field(FIRST_SEED, "suites-seed", 0)
        max_tokens = number_field(MOST_TOKENS, "suites-max-tokens", 256)
        timeout_s = number_field(TIMEOUT_S, "suites-timeout", 120)
        judge = gr.Dropdown(
            [("the model itself", ""), *models], value=settings.judge or "", allow_custom_value=True,
            label="Judge of rubrics", elem_id="suites-judge", min_width=0,
        )  # fmt: skip
    size = Drawn("notice", elem_id="suites-size")
    start = gr.Button("Run", variant="primary", size="sm", elem_id="suites-start")
    return GridParts(
        suites=suites, contracts=contracts, models=chosen, tool_choices=tool_choices, grammars=grammars,
        further=further, repeat=repeat, temperatures=temperatures, top_ps=top_ps, seed=seed,
        max_tokens=max_tokens, tags=tags, limit=limit, timeout_s=timeout_s, judge=judge, size=size, start=start,
    )  # fmt: skip


def _many(
    label: str, choices: list[str], chosen: list[str], name: str, *, is_free: bool = False
) -> ChoiceField:
    """Several of the choices; of a free one also what a person types, such as `minimal@3`."""
    there = [one for one in chosen if is_free or one in choices]
    return ChoiceField(
        choices, value=there, multiselect=True, allow_custom_value=is_free, label=label,
        elem_id=f"suites-{name}", min_width=0,
    )  # fmt: skip
