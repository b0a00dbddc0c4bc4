"""A call that waits for the person."""

from workbench.ui.components.drawn import Drawn


class WaitingCall(Drawn):
    """A call that waits for the person; nothing where none does."""

    script = "waiting.js"
