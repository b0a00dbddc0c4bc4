"""What was found about rows, each line with a way to its message."""

from workbench.ui.components.drawn import Drawn


class RowFindings(Drawn):
    """What was found about rows, each line with a way to its message."""

    script = "row_findings.js"
