"""The calls of one completion, with what came of each."""

from workbench.ui.components.drawn import Drawn


class Calls(Drawn):
    """The calls of one completion, with what came of each."""

    script = "calls.js"
