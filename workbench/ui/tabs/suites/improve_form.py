"""The fields of a search for a better contract."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.rollout.setting_field import NumberRange
from workbench.suite.search_plan import SearchMode, SearchSettings
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import ChoiceField, NumberField, number_field
from workbench.ui.components.layout import fold
from workbench.ui.present.suites.grid import OPEN_IMPROVE

_MODES: Final = (
    ("Raise the pass rate, then shorten", SearchMode.IMPROVE.value),
    ("Shorten without losing cases", SearchMode.SHRINK.value),
)
BUDGETS: Final = {
    "runs": NumberRange("Max case runs", 1, 100_000),
    "tokens": NumberRange("Max tokens (0 for no limit)", 0, 1_000_000_000),
    "cost": NumberRange("Max cost in dollars (0 for no limit)", 0, 100_000, 0.1),
    "minutes": NumberRange("Max minutes (0 for no limit)", 0, 100_000, 1),
}
"""The budgets of `SearchSettings`, by field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImproveParts:
    """The components of a search."""

    fold: Drawn
    """The button that shows them."""
    mode: gr.Dropdown
    budgets: tuple[NumberField, ...]
    """In the order of `BUDGETS`."""
    reflect: gr.Dropdown
    start: gr.Button


def build_improve(services: Services) -> ImproveParts:
    """Build the fields of a search. Its suites, contract and model are those of the run's form."""
    models = list(services.models.names())
    with fold(OPEN_IMPROVE.label, "suites-improve") as button:
        mode = ChoiceField(
            list(_MODES),
            value=SearchMode.IMPROVE.value,
            label="Aim",
            elem_id="suites-improve-mode",
            min_width=0,
        )
        budgets = tuple(
            number_field(numbers, f"suites-improve-{name}", getattr(SearchSettings(), name) or 0)
            for name, numbers in BUDGETS.items()
        )
        reflect = ChoiceField(
            [("No model", ""), *models],
            value="",
            allow_custom_value=True,
            label="Model that proposes changes",
            elem_id="suites-improve-reflect",
            min_width=0,
        )
        start = gr.Button("Improve contract", size="sm", elem_id="suites-improve-start")
    return ImproveParts(fold=button, mode=mode, budgets=budgets, reflect=reflect, start=start)
