"""What the rounds of a turn took."""

from workbench.ui.components.drawn import Drawn


class Timing(Drawn):
    """What the rounds of a turn took."""

    script = "timing.js"
