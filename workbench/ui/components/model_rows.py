"""Models or repositories, each with what can be done with it."""

from workbench.ui.components.drawn import Drawn


class ModelRows(Drawn):
    """Models or repositories, each with what can be done with it."""

    script = "model_rows.js"
