"""What was read otherwise than written, and what was noticed."""

from workbench.ui.components.drawn import Drawn


class Fixes(Drawn):
    """What was read otherwise than written, and what was noticed."""

    script = "fixes.js"
