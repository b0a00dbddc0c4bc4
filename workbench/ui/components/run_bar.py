"""How far a run of suites is, with its stop."""

from workbench.ui.components.drawn import Drawn


class RunBar(Drawn):
    """How far a run of suites is, with its stop."""

    script = "run_bar.js"
