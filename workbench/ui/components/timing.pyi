"""What the rounds of a turn took."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Timing(Drawn):
    """What the rounds of a turn took."""

    script = "timing.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component