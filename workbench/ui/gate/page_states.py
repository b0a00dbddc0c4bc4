"""What Gradio keeps in memory for each open page, without what only deep links need.

For each tab Gradio copies the configuration of every component, and each value that it shows, in order to write a
"deep link": about 0.9 MB a tab of this page, before anything is shown. The gate serves no deep links.
"""

from copy import copy
from typing import Any, cast

from gradio.blocks import Blocks
from gradio.state_holder import SessionState, StateHolder


class PageState(SessionState):
    """The values of one page's `gr.State`, and the components that it changed.

    *Source:* gradio 6.31, state_holder.py, `SessionState.__init__`.
    """

    def __init__(self, blocks: Blocks) -> None:
        # Gradio's own, which makes the copies, is not called.
        self.blocks_config = copy(cast(Any, blocks).default_config)
        self.config_values = cast(Any, _Nothing())
        self.state_data = {}
        self._state_ttl = {}
        self.is_closed = False
        self.STATE_TTL_WHEN_CLOSED = 3600

    def _update_config(self, key: int) -> None:
        pass

    def _update_value_in_config(self, key: int, value: Any) -> None:
        pass


class PageStates(StateHolder):
    """Pages by their `session_hash`, the least recently used first."""

    def __getitem__(self, session_id: str) -> SessionState:
        """The page's state, made if it is new; one too many drops the oldest."""
        if session_id not in self.session_data:
            self.session_data[session_id] = PageState(self.blocks)
        return super().__getitem__(session_id)


class _Nothing(dict[int, dict[str, Any]]):
    """Forgets whatever is put in."""

    def __setitem__(self, key: int, value: dict[str, Any]) -> None:
        pass
