"""The composed system text, folded, with its size."""

from workbench.ui.components.drawn import Drawn


class SystemText(Drawn):
    """The composed system text, folded, with its size."""

    script = "system_text.js"
