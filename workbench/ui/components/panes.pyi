"""Buttons that open the columns which a narrow window hides."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Panes(Drawn):
    """Sessions, Setup, Inspector; shown where the window is too narrow for all columns."""

    script = "panes.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component