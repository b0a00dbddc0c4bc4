"""Lines that stand where something went wrong or wants to be known."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Notice(Drawn):
    """Lines that stand where something went wrong or wants to be known."""

    script = "notice.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component