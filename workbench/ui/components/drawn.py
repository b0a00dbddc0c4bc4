"""The class of components drawn by scripts, which get one plain value and draw it as text."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from workbench.chat.json_value import JsonValue
from workbench.ui.gradio_parts.listen import Trigger
from workbench.ui.gradio_parts.own_component import OwnComponent
from workbench.ui.script_files import words_of_script

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Drawn(OwnComponent):
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
        super().__init__(value, elem_id=elem_id, elem_classes=("hw", *elem_classes), render=render)

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
        return super().event(name)
