"""The line about the demo set; `load_demo` and `remove_demo` are its events."""

from workbench.ui.components.drawn import Drawn


class DemoBar(Drawn):
    """The line about the demo set; `load_demo` and `remove_demo` are its events."""

    script = "demo_bar.js"
