"""Puts a text that the server was asked for into the clipboard."""

from workbench.ui.components.drawn import Drawn


class Copied(Drawn):
    """Puts a text that the server was asked for into the clipboard, and says so."""

    script = "copied.js"
