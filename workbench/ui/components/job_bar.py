"""How far a job is, with its stop."""

from workbench.ui.components.drawn import Drawn


class JobBar(Drawn):
    """How far a job is, with its stop."""

    script = "job_bar.js"
