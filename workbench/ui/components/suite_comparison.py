"""Two runs, or two arms, side by side: what broke first."""

from workbench.ui.components.drawn import Drawn


class SuiteComparison(Drawn):
    """Two runs, or two arms, side by side: what broke first."""

    script = "suite_comparison.js"
