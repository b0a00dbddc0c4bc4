"""The product's name and the state of the model."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Header(Drawn):
    """The product's name and the state of the model."""

    script = "header.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component