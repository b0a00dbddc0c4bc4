"""Lines that stand where something went wrong or wants to be known."""

from workbench.ui.components.drawn import Drawn


class Notice(Drawn):
    """Lines that stand where something went wrong or wants to be known."""

    script = "notice.js"
