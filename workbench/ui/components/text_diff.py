"""What changed from one text to another, line by line."""

from workbench.ui.components.drawn import Drawn


class TextDiff(Drawn):
    """Lines with their signs; nothing where nothing is compared."""

    script = "text_diff.js"
