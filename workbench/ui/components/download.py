"""Hands a text to the browser as a file; draws nothing."""

from workbench.ui.components.drawn import Drawn


class Download(Drawn):
    """A value is a file: each new one is downloaded once."""

    script = "download.js"
