"""The list of sessions; `open_session` is its event."""

from workbench.ui.components.drawn import Drawn

from gradio.events import Dependency

class Sessions(Drawn):
    """The list of sessions; `open_session` is its event."""

    script = "sessions.js"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component