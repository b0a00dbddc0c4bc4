"""A text that a person edits, and that keeps every blank of it."""

import gradio as gr

from workbench.ui.components.stubless import Stubless


class Editor(gr.Code, metaclass=Stubless):
    """Gradio's editor, but that it strips no white space from what it is given.

    *Source:* gradio 6.31, components/code.py, `postprocess`.
    """

    def postprocess(self, value: str | None) -> str | None:
        """The text as it is."""
        return value

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "code"
