"""Fields to choose from what there is at the time."""

from typing import Any

import gradio as gr

from workbench.ui.components.stubless import Stubless


class ChoiceField(gr.Dropdown, metaclass=Stubless):
    """Gradio's dropdown, but that whoever reads it says what is wrong with it.

    Gradio refuses each event of the page that reads a value which is none of the choices: of a session whose contract
    came with its rows, of what was deleted since the page was built. The refusal says the choices and nothing to do.

    *Source:* gradio 6.31, components/dropdown.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: Any) -> Any:
        """What was chosen, or stands there; None for nothing."""
        return payload

    def postprocess(self, value: Any) -> Any:
        """What to show as chosen."""
        return value

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "dropdown"


class TickField(gr.CheckboxGroup, metaclass=Stubless):
    """Gradio's group of boxes, which refuses no more than `ChoiceField` does: its boxes may have changed meanwhile.

    *Source:* gradio 6.31, components/checkboxgroup.py, `preprocess`.
    """

    def preprocess(self, payload: Any) -> Any:
        """What is ticked."""
        return payload

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "checkboxgroup"
