"""Layouts drawn by what every page loads anyway: each kind of Gradio's layouts costs a browser two more requests."""

from collections.abc import Generator
from contextlib import contextmanager

import gradio as gr

from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.stubless import Stubless
from workbench.ui.present.fold import FoldView


class PlainRow(gr.Row, metaclass=Stubless):
    """Gradio's row, but drawn as a column that `page.css` turns into a row.

    Args:
        elem_id: The element's id, if it has one.
    """

    def __init__(self, *, elem_id: str | None = None) -> None:
        super().__init__(elem_id=elem_id, elem_classes=["hw-beside"])

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "column"


@contextmanager
def fold(label: str, elem_id: str, *, is_kept: bool = False) -> Generator[Drawn]:
    """Place the components that are created inside below a button that shows and hides them, and give the button.

    Args:
        label: The text of the button.
        elem_id: The id of the element around all of it.
        is_kept: Whether the browser remembers that it is open.
    """
    content = f"{elem_id}-content"
    with gr.Column(elem_id=elem_id, elem_classes=["hw-fold"], min_width=0, scale=0):
        view = FoldView(label=label, content=content, is_kept=is_kept)
        button = Drawn("fold", view, elem_id=f"{elem_id}-button")
        with gr.Column(elem_id=content, elem_classes=["hw-fold-content"], min_width=0, scale=0):
            yield button
