"""How far a download is, with its stop."""

from workbench.ui.components.drawn import Drawn


class PullBar(Drawn):
    """How far a download is, with its stop."""

    script = "pull_bar.js"
