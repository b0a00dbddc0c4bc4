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
_RUNS: Final = NumberRange("Maximum case runs", 1, 100_000, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImproveParts:
    """The components of a search."""

    fold: Drawn
    """The button that shows them."""
    mode: gr.Dropdown
    runs: NumberField
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
        runs = number_field(_RUNS, "suites-improve-runs", SearchSettings().runs)
        reflect = ChoiceField(
            [("No model", ""), *models],
            value="",
            allow_custom_value=True,
            label="Model that proposes changes",
            elem_id="suites-improve-reflect",
            min_width=0,
        )
        start = gr.Button("Improve contract", size="sm", elem_id="suites-improve-start")
    return ImproveParts(fold=button, mode=mode, runs=runs, reflect=reflect, start=start)
