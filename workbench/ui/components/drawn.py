"""The base class of components drawn by scripts, which get one plain value and draw it as text.

The templates of `gr.HTML` are not used. Gradio fills them with Handlebars and evaluates the result as a JavaScript
template literal, so `${…}` in a model's text would run as code and backslashes would be lost.
*Source:* gradio 6.31, js/html/shared/HTML.svelte, `render_template`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import gradio as gr
from gradio.events import EventListener

from workbench.chat.json_value import JsonValue
from workbench.ui.components.fields import Stubless
from workbench.ui.listen import Trigger
from workbench.ui.script_files import words_of_script

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Drawn(gr.HTML, metaclass=Stubless):
    """A component whose value is a frozen dataclass of `present`, sent to the browser as JSON.

    Args:
        script: The module in `ui/scripts/` that draws the value, without `.js`.
        value: The first value; None draws the empty state.
        elem_id: The element's id.
        render: Whether to place the component where it is created.

    Example:
        `Drawn("run_bar", elem_id="suites-bar")`.
    """

    def __init__(
        self, script: str, value: "DataclassInstance | None" = None, *, elem_id: str, render: bool = True
    ) -> None:
        self.script = script
        words_of_script(script)  # fails if there is no such script
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - gradio leaves `value` untyped
            value=value,
            html_template="",
            js_on_load=f"hermesWorkbench.mount({json.dumps(script)}, element, trigger, props, watch)",
            apply_default_css=False,
            elem_id=elem_id,
            elem_classes=["hw"],
            render=render,
        )

    # Gradio annotates the value as str, but its browser side takes any JSON.
    def postprocess(self, value: "DataclassInstance | None") -> Mapping[str, JsonValue] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the value as JSON; None draws the empty state."""
        return None if value is None else asdict(value)

    def api_info(self) -> dict[str, JsonValue]:
        """Describe the value as an object."""
        return {"type": "object"}

    def event(self, name: str) -> Trigger:
        """Return the event that the script triggers as `name`.

        Raises:
            AttributeError: The script does not trigger it.
        """
        if name not in words_of_script(self.script):
            raise AttributeError(f"{self.script}.js does not trigger {name!r}")
        # Gradio does not type its listeners.
        return partial(cast(Any, EventListener(event_name=name)).listener, self)
