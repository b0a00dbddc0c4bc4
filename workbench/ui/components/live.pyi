"""The completion that is being written."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Live(Drawn):
    """The completion that is being written."""

    script = "live.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component