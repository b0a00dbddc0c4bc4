"""A run of suites: score cards, the picture, the matrix."""

from workbench.ui.components.drawn import Drawn


class SuiteRun(Drawn):
    """A run of suites: score cards, the picture, the matrix; the address bar names it and the case."""

    shared = ("plot.js", "tables.js")
    script = "suite_run.js"
