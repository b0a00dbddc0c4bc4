"""What others would have extracted, a row each."""

from workbench.ui.components.drawn import Drawn


class Differ(Drawn):
    """What others would have extracted, a row each."""

    script = "differ.js"
