"""Hands a text to the browser as a file; draws nothing."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Download(Drawn):
    """A value is a file: each new one is downloaded once."""

    script = "download.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component