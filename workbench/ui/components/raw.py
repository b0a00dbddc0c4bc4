"""The prompt and the completion, byte for byte: the document's text is exactly their text."""

from workbench.ui.components.drawn import Drawn


class Raw(Drawn):
    """The prompt and the completion, byte for byte: the document's text is exactly their text."""

    script = "raw.js"
