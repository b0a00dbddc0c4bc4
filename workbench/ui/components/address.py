"""Writes the open session into the browser's address bar; draws nothing."""

from workbench.ui.components.drawn import Drawn


class Address(Drawn):
    """Writes the open session into the browser's address bar; draws nothing."""

    script = "address.js"
