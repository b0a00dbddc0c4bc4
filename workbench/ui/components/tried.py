"""What a call came to."""

from workbench.ui.components.drawn import Drawn


class Tried(Drawn):
    """The result of a call as the model would see it, and how it came to be."""

    script = "tried.js"
