"""The line that says what is answered."""

from workbench.ui.components.drawn import Drawn


class CompareTarget(Drawn):
    """A question of one's own, or turns of a session; `compare_drop` goes back to a question."""

    script = "compare_target.js"
