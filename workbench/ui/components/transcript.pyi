"""The conversation: an entry a message, calls with their results; `pick` and `example` are its events."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Transcript(Drawn):
    """The conversation: an entry a message, calls with their results; `pick` and `example` are its events."""

    script = "transcript.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component