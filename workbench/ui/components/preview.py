"""The system text as a model would get it."""

from workbench.ui.components.drawn import Drawn


class Preview(Drawn):
    """The composed text, all of it, with its size."""

    script = "preview.js"
