"""The columns side by side, with the buttons and keys of the vote."""

from workbench.ui.components.drawn import Drawn


class CompareBoard(Drawn):
    """Turns with their answers; `compare_vote`, `compare_unvote` and `compare_go_on` are its events."""

    shared = ("blocks.js",)
    script = "compare_board.js"
