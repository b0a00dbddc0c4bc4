"""What was read otherwise than written, and what was noticed."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Fixes(Drawn):
    """What was read otherwise than written, and what was noticed."""

    script = "fixes.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component