"""The branches of the open session, as a small tree."""

from workbench.ui.components.drawn import Drawn


class Branches(Drawn):
    """A line that opens into the tree; `ask_branches`, `branch` and `restore_message` are its events."""

    script = "branches.js"
