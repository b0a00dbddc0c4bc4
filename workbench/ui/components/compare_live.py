"""What the columns are writing, and how far all is."""

from workbench.ui.components.drawn import Drawn


class CompareLive(Drawn):
    """A text a column while it is written; `compare_stop` is its event."""

    script = "compare_live.js"
