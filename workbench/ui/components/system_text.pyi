"""The composed system text, folded, with its size."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class SystemText(Drawn):
    """The composed system text, folded, with its size."""

    script = "system_text.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component