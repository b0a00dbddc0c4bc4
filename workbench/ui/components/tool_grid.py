"""The parameters of a tool as rows that can be edited."""

from workbench.ui.components.drawn import Drawn


class ToolGrid(Drawn):
    """`edit_grid` comes with all rows, as JSON, whenever one was changed."""

    script = "tool_grid.js"
