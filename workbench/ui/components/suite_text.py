"""A suite that is being written: what is wrong with it, and its cases."""

from workbench.ui.components.drawn import Drawn


class SuiteText(Drawn):
    """A suite that is being written: what is wrong with it, and its cases."""

    script = "suite_text.js"
