"""Writes the open session into the browser's address bar; draws nothing."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Address(Drawn):
    """Writes the open session into the browser's address bar; draws nothing."""

    script = "address.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component