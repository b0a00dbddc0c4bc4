"""Plays of a case: what was wanted, what came, the stored rollout."""

from workbench.ui.components.drawn import Drawn


class SuitePlays(Drawn):
    """Plays of a case: what was wanted, what came, the stored rollout."""

    script = "suite_plays.js"
