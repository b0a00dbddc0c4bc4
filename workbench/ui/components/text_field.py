"""A field for a line or a few lines of text."""

import gradio as gr

from workbench.ui.components.stubless import Stubless


class TextField(gr.Textbox, metaclass=Stubless):
    """Gradio's text field, but that nothing in it is the empty text, for who reads it and for the browser.

    Without a text of its own Gradio's field holds null until it is filled. Its handlers then have two kinds of nothing
    to read, and filling it with the empty text is a change, which is told while the fields behind it are still to be
    filled.

    *Source:* gradio 6.31, components/textbox.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: str | None) -> str:
        """The text that stands there."""
        return payload or ""

    def postprocess(self, value: str | None) -> str:
        """The text to show."""
        return value or ""

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "textbox"
