"""A completion as it was read: segments in colour, changes in place."""

from workbench.ui.components.drawn import Drawn


class ReadText(Drawn):
    """A completion as written, as fixed, or both at once; examples where there is none."""

    script = "read_text.js"
