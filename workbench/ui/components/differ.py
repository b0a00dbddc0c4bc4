"""What others would have extracted, a row each; `ask_differ` is its event where it is shown lazily."""

from workbench.ui.components.drawn import Drawn


class Differ(Drawn):
    """What others would have extracted, a row each; `ask_differ` is its event where it is shown lazily."""

    shared = ("asking.js",)
    script = "differ.js"
