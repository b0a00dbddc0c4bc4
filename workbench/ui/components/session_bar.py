"""The line above the transcript: title, link, copy; its events begin like the buttons that fire them."""

from workbench.ui.components.drawn import Drawn


class SessionBar(Drawn):
    """The line above the transcript: title, link, copy; its events begin like the buttons that fire them."""

    script = "session_bar.js"
