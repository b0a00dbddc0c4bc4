"""The base class of components drawn by scripts, which get one plain value and draw it as text.

Gradio's own component for such cases, `gr.HTML`, is not used. It fills templates with Handlebars and evaluates the
result as a JavaScript template literal, so `${…}` in a model's text would run as code and backslashes would be lost. It
also takes a browser twice as long as our own (`ui/scripts/head/drawn.js`).
*Source:* gradio 6.31, js/html/shared/HTML.svelte, `render_template`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MethodType
from typing import TYPE_CHECKING, Any, cast

from gradio.components import Component
from gradio.events import EventListener

from workbench.chat.json_value import JsonValue
from workbench.ui.components.fields import Stubless
from workbench.ui.listen import Trigger
from workbench.ui.script_files import words_of_script

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Drawn(Component, metaclass=Stubless):
    """A component whose value is a frozen dataclass of `present`, sent to the browser as JSON.

    Args:
        script: The name of the module in `ui/scripts/` that draws the value, without folder and `.js`.
        value: The first value; None draws the empty state.
        elem_id: The element's id.
        elem_classes: Further classes of the element.
        render: Whether to place the component where it is created.

    Example:
        `Drawn("run_bar", elem_id="suites-bar")`.
    """

    def __init__(
        self,
        script: str,
        value: "DataclassInstance | None" = None,
        *,
        elem_id: str | None = None,
        elem_classes: Sequence[str] = (),
        render: bool = True,
    ) -> None:
        self.script = script
        words_of_script(script)  # fails if there is no such script
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - gradio leaves `value` untyped
            value=value, elem_id=elem_id, elem_classes=["hw", *elem_classes], render=render
        )

    def get_block_name(self) -> str:
        """Return the name under which `scripts/head/drawn.js` offers the component to Gradio."""
        return "drawn"

    def preprocess(self, payload: Mapping[str, JsonValue] | None) -> object:
        """Return the value as JSON, as the browser sent it."""
        return payload

    def postprocess(self, value: "DataclassInstance | None") -> Mapping[str, JsonValue] | None:
        """Return the value as JSON; None draws the empty state."""
        return None if value is None else asdict(value)

    def api_info(self) -> dict[str, JsonValue]:
        """Describe the value as an object."""
        return {"type": "object"}

    def example_payload(self) -> None:
        """Return a value for the API's documentation: the empty state."""

    def example_value(self) -> None:
        """Return a value for the API's documentation: the empty state."""

    def event(self, name: str) -> Trigger:
        """Return the event that the script triggers as `name`.

        Raises:
            AttributeError: The script does not trigger it.
        """
        if name not in words_of_script(self.script):
            raise AttributeError(f"{self.script}.js does not trigger {name!r}")
        # Gradio does not type its listeners.
        return MethodType(cast(Any, EventListener(event_name=name)).listener, self)
