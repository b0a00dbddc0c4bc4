"""Buttons that open the columns which a narrow window hides."""

from workbench.ui.components.drawn import Drawn


class Panes(Drawn):
    """Sessions, Setup, Inspector; shown where the window is too narrow for all columns."""

    script = "panes.js"
