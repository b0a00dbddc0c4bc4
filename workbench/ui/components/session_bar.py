"""The line above the transcript; `rename_session`, `share_session`, `unshare_session` and `copy_session` are its events."""

from workbench.ui.components.drawn import Drawn


class SessionBar(Drawn):
    """The line above the transcript; `rename_session`, `share_session`, `unshare_session` and `copy_session` are its events."""

    script = "session_bar.js"
