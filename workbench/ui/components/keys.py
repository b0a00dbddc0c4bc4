"""The keys of the Play tab; draws nothing."""

from workbench.ui.components.drawn import Drawn


class Keys(Drawn):
    """Ctrl+Enter sends, Esc stops or closes a drawer."""

    script = "keys.js"
