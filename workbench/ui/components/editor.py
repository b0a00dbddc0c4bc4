"""A text that a person edits, and that keeps every blank of it."""

import gradio as gr

from workbench.ui.components.stubless import Stubless


class CodeEditor(gr.Code, metaclass=Stubless):
    """Gradio's editor, but that it strips no white space from what it is given, and that nothing in it is text too.

    *Source:* gradio 6.31, components/code.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: str | None) -> str:
        """The text that stands there; the browser sends null for none."""
        return payload or ""

    def postprocess(self, value: str | None) -> str:
        """The text as it is."""
        return value or ""

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "code"
