"""The prompt and the completion, byte for byte; `ask_raw` and `compare_prompt` are its events."""

from workbench.ui.components.drawn import Drawn


class Raw(Drawn):
    """The prompt and the completion, byte for byte: the document's text is exactly their text."""

    shared = ("asking.js",)
    script = "raw.js"
