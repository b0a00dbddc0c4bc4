"""The keys of the Suites tab; draws nothing."""

from workbench.ui.components.drawn import Drawn


class SuiteKeys(Drawn):
    """Ctrl+Enter runs, Esc stops the run."""

    script = "suite_keys.js"
