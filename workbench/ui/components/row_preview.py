"""Rows as they will stand in the file, and what of them is trained."""

from workbench.ui.components.drawn import Drawn


class RowPreview(Drawn):
    """Rows as they will stand in the file, and what of them is trained."""

    script = "row_preview.js"
