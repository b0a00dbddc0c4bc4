"""The calls of one completion, with what came of each."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Calls(Drawn):
    """The calls of one completion, with what came of each."""

    script = "calls.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component