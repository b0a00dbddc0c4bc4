"""What all own components share: one plain value in, drawn by a script that sets text as text.

`gr.HTML`'s templates are not used: Gradio fills them by Handlebars and then evaluates the outcome as a
JavaScript template literal, so that `${…}` in a model's text would run and a backslash would be lost.
*Source:* gradio 6.31, js/html/shared/HTML.svelte, `render_template`.
"""

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, cast

import gradio as gr

from workbench.chat.json_value import JsonValue
from workbench.ui.components.stubless import Stubless
from workbench.ui.listen import Trigger

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SHARED: Final = "dom.js"
"""Script that stands before every component's own."""


class Drawn(gr.HTML, metaclass=Stubless):
    """A component whose value is a frozen dataclass of `present`; the browser gets it as JSON."""

    shared: ClassVar[tuple[str, ...]] = ()
    """Files beside this one that stand before the script, for what several components draw alike."""
    script: ClassVar[str] = ""
    """File beside this one that draws the value; the names in quotes that it triggers are the events."""

    def __init__(
        self, value: "DataclassInstance | None" = None, *, elem_id: str, render: bool = True
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - gradio leaves `value` untyped
            value=value,
            html_template="",
            js_on_load=_scripts((*self.shared, self.script)),
            apply_default_css=False,
            elem_id=elem_id,
            elem_classes=["hw"],
            render=render,
        )

    # Gradio's own annotation says str, and its browser side takes any JSON.
    def postprocess(self, value: "DataclassInstance | None") -> Mapping[str, JsonValue] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The value as JSON; None draws the empty state."""
        return None if value is None else asdict(value)

    def api_info(self) -> dict[str, JsonValue]:
        """The value is an object."""
        return {"type": "object"}

    def event(self, name: str) -> Trigger:
        """The event that the script triggers as `name`."""
        return cast(Trigger, getattr(self, name))


@cache
def _scripts(own: tuple[str, ...]) -> str:
    """Gradio makes a component anew for each change of it, so the files are read once."""
    folder = Path(__file__).parent
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in (SHARED, *own))
