"""Ctrl+K finds anything; `find_any`, `go_to_session` and `go_to_suite` are its events."""

from workbench.ui.components.drawn import Drawn


class Palette(Drawn):
    """Ctrl+K finds anything; `find_any`, `go_to_session` and `go_to_suite` are its events."""

    script = "palette.js"
