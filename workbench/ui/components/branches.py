"""The branches of the open session, as a small tree."""

from workbench.ui.components.drawn import Drawn


class Branches(Drawn):
    """A line that opens into the tree; `ask_branches` and `branch` are its events."""

    script = "branches.js"
