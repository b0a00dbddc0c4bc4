"""The keys of the Play tab; draws nothing."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Keys(Drawn):
    """Ctrl+Enter sends, Esc stops or closes a drawer."""

    script = "keys.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component