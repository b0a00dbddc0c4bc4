"""Gradio's types that handlers and components are declared with, which its public module does not export.

*Gradio 6.31:* `blocks.Block`, `block_function.BlockFunction`, `events.Dependency`, `components.api_component.Api`.
"""

from gradio.block_function import BlockFunction
from gradio.blocks import Block
from gradio.components.api_component import Api
from gradio.events import Dependency

__all__ = ["Api", "Block", "BlockFunction", "Dependency", "is_own_handler"]


def is_own_handler(handler: object) -> bool:
    """Whether a handler is Gradio's own, such as that of its sign-in button."""
    return getattr(handler, "__module__", "").partition(".")[0] == "gradio"
