"""The conversation: an entry a message, calls with their results; `pick`, `example` and `branch` are its events."""

from workbench.ui.components.drawn import Drawn


class Transcript(Drawn):
    """The conversation: an entry a message, calls with their results; `pick`, `example` and `branch` are its events."""

    shared = ("blocks.js",)
    script = "transcript.js"
