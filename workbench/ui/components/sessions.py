"""The list of sessions; `open_session`, `search_sessions`, `list_more`, `scope` and others are its events."""

from workbench.ui.components.drawn import Drawn


class Sessions(Drawn):
    """The list of sessions; `open_session`, `search_sessions`, `list_more`, `scope` and others are its events."""

    script = "sessions.js"
