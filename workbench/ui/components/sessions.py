"""The list of sessions; `open_session` is its event."""

from workbench.ui.components.drawn import Drawn


class Sessions(Drawn):
    """The list of sessions; `open_session` is its event."""

    script = "sessions.js"
