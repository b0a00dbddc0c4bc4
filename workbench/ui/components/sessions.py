"""The list of sessions; `open_session`, `delete_session`, `restore_session`, `scope` are its events."""

from workbench.ui.components.drawn import Drawn


class Sessions(Drawn):
    """The list of sessions; `open_session`, `delete_session`, `restore_session`, `scope` are its events."""

    script = "sessions.js"
