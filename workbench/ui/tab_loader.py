"""Send each tab to the browser when it is opened for the first time (`gradio_parts/split_config.py`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.records.owner import Permission
from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.gradio_parts.split_config import LOAD_TAB
from workbench.ui.incoming.fields import id_of
from workbench.ui.incoming.refusal import MalformedEvent
from workbench.ui.permissions import needs
from workbench.ui.present.place import HOME, NAMES

LAZY_TABS: Final = tuple(f"page-tab-{name}" for name in NAMES if name != HOME)
"""The `elem_id` of each tab that is not sent with the page."""

FILLED_TABS: Final = ("page-tab-compare",)
"""Tabs whose form is filled after they arrive (`listen.mark_filled`). Until then, they are hidden, so that nothing that
a person chooses is replaced."""


@dataclass(frozen=True, slots=True)
class TabLoader:
    """Asks the server for a tab when it is selected for the first time."""

    loader: Drawn
    tabs: Sequence[gr.Tab]
    """The tabs that are not sent with the page."""

    @needs(Permission.WORK)
    def on_open_tab(self, event: gr.EventData) -> None:
        """Accept the request for a tab. `PageBlocks.process_api` adds the tab to the answer.

        Raises:
            MalformedEvent: There is no such tab.
        """
        if id_of(event, "tab") not in LAZY_TABS:
            raise MalformedEvent("there is no such tab")

    def wire(self) -> None:
        """Ask for each tab when it is selected."""
        listen(self.loader.event("open_tab"), self.on_open_tab, is_queued=False)
        for tab in self.tabs:
            options = f"{{ isFilled: {str(tab.elem_id in FILLED_TABS).lower()} }}"
            listen(tab.select, None, js=f"() => {{ {LOAD_TAB}({tab.elem_id!r}, {options}); }}")
