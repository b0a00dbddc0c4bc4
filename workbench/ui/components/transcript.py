"""The conversation: an entry a message, calls with their results, and what can be done with each."""

from workbench.ui.components.drawn import Drawn


class Transcript(Drawn):
    """Its events: `pick`, `example`, `branch`, `make_case`, `compare_turn`, `message_act`, `open_label`, `play_on`."""

    shared = ("blocks.js", "menu.js")
    script = "transcript.js"
