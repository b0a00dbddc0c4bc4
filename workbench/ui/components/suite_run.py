"""A run of suites: score cards, the picture, the matrix, and the plays of a cell."""

from workbench.ui.components.drawn import Drawn


class SuiteRun(Drawn):
    """A run of suites: score cards, the picture, the matrix, and the plays of a cell."""

    script = "suite_run.js"
