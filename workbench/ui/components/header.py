"""The product's name and the state of the model."""

from workbench.ui.components.drawn import Drawn


class Header(Drawn):
    """The product's name and the state of the model."""

    script = "header.js"
