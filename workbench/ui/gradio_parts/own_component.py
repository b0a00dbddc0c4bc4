"""The base of a component that `drawn.js` offers to Gradio's browser side, which has a table of further components.

Gradio's own component for such cases, `gr.HTML`, is not used. It fills templates with Handlebars and evaluates the
result as a JavaScript template literal, so `${…}` in a model's text would run as code and backslashes would be lost. It
also takes a browser twice as long. See docs/decisions/0023-drawn-is-a-component-of-its-own.md.

*Gradio 6.31:* `components.base.Component.__init__`, `blocks.Block.get_config`, `events.EventListener`.
"""

from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, cast

from gradio.components import Component
from gradio.events import EventListener

from workbench.ui.gradio_parts.stubless import Stubless


class OwnComponent(Component, metaclass=Stubless):
    """A component that `drawn.js` draws.

    Args:
        value: The first value.
        elem_id: The element's id.
        elem_classes: Classes of the element.
        render: Whether to place the component where it is created.
    """

    def __init__(
        self, value: object, *, elem_id: str | None, elem_classes: Sequence[str], render: bool
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - gradio leaves `value` untyped
            value=value, elem_id=elem_id, elem_classes=list(elem_classes), render=render
        )

    def get_block_name(self) -> str:
        """Return the name under which `drawn.js` offers the component to Gradio."""
        return "drawn"

    def event(self, name: str) -> Callable[..., Any]:
        """Return the event that the component's script triggers as `name`."""
        # Gradio does not type its listeners.
        return MethodType(cast(Any, EventListener(event_name=name)).listener, self)
