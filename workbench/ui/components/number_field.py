"""A field for a number of a range."""

import gradio as gr

from workbench.rollout.setting_field import NumberRange
from workbench.ui.components.stubless import Stubless


class NumberField(gr.Number, metaclass=Stubless):
    """Gradio's number, but that whoever reads it says what is wrong with it.

    Gradio's own refusal names no field, hands nothing to the handler, so that what was sent with it is lost, and drops
    what was typed meanwhile.

    *Source:* gradio 6.31, components/number.py, `preprocess`; js/core/src/dependency.ts.
    """

    def preprocess(self, payload: float | None) -> float | None:
        """What stands there; None for nothing."""
        return payload

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "number"


def number_field(numbers: NumberRange, elem_id: str, value: float, *, label: str = "") -> NumberField:
    """The field of a range.

    Args:
        numbers: What may stand there.
        elem_id: `tab-part`.
        value: What stands there at first. An empty field is none: Gradio's browser side fills 0 in once it is drawn.
        label: Where it is not the range's own.
    """
    return NumberField(
        value,
        label=label or numbers.label,
        minimum=numbers.least,
        maximum=numbers.most,
        step=numbers.step or 1,
        min_width=0,
        elem_id=elem_id,
    )
