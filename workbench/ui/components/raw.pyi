"""The prompt and the completion, byte for byte: the document's text is exactly their text."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Raw(Drawn):
    """The prompt and the completion, byte for byte: the document's text is exactly their text."""

    script = "raw.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component