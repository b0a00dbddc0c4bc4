"""How the answer might have begun, as bars, and how likely each token was."""

from workbench.ui.components.drawn import Drawn


class DecisionPane(Drawn):
    """Bars and heat; `weigh` is triggered with the completion's id."""

    script = "decision.js"
