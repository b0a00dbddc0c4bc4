"""Gradio's form fields, but values pass unchanged, and the handler that reads a value checks it.

- A text field or code editor of Gradio holds null until it is filled. Handlers would have to accept null as well as the
  empty text, and filling it with the empty text would fire `change` while the fields after it are not filled yet.
- The code editor removes white space.
- When Gradio rejects a number, its message does not name the field, the handler is not called, so that the other values
  are lost, and text typed meanwhile is dropped.
- Gradio rejects every event that reads a value which is not among a dropdown's choices, such as the contract of an
  imported session, or an item that was deleted since the page was built. Its message lists the choices, but not what to
  do.

*Gradio 6.31:* `components.code.Code.preprocess`, `components.code.Code.postprocess`,
`components.textbox.Textbox.preprocess`, `components.textbox.Textbox.postprocess`,
`components.number.Number.preprocess`, `components.dropdown.Dropdown.preprocess`,
`components.dropdown.Dropdown.postprocess`, `blocks.Block.get_block_name`.
"""

from typing import Any, Final

import gradio as gr

from workbench.ui.gradio_parts.stubless import Stubless

UNSIZED: Final = 20
"""The number of lines of a text field that is not shown. Gradio does not fit the height of a field with this number of
lines to its text, for which the browser would lay out the page at every change (js/textbox/shared/Textbox.svelte,
`resize`).
"""


class CodeEditor(gr.Code, metaclass=Stubless):
    """A code editor. It keeps white space, and an empty editor holds the empty text."""

    def preprocess(self, payload: str | None) -> str:
        """Return the text; the browser sends null for an empty editor."""
        return payload or ""

    def postprocess(self, value: str | None) -> str:
        """Return the text unchanged."""
        return value or ""

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "code"


class TextField(gr.Textbox, metaclass=Stubless):
    """A text field. An empty one holds the empty text, on the server and in the browser."""

    def preprocess(self, payload: str | None) -> str:
        """Return the text."""
        return payload or ""

    def postprocess(self, value: str | None) -> str:
        """Return the text to show."""
        return value or ""

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "textbox"


class NumberField(gr.Number, metaclass=Stubless):
    """A number field."""

    def preprocess(self, payload: float | None) -> float | None:
        """Return the number, or None for an empty field."""
        return payload

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "number"


class ChoiceField(gr.Dropdown, metaclass=Stubless):
    """A dropdown."""

    def preprocess(self, payload: Any) -> Any:
        """Return the chosen or typed value, or None."""
        return payload

    def postprocess(self, value: Any) -> Any:
        """Return the value to show as chosen."""
        return value

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "dropdown"
