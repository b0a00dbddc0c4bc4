"""The completion that is being written."""

from workbench.ui.components.drawn import Drawn


class Live(Drawn):
    """The completion that is being written."""

    script = "live.js"
