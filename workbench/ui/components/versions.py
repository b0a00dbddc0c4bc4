"""The line under a text; `save_version`, `restore_version`, `compare_version`, `mark_version` are its events."""

from workbench.ui.components.drawn import Drawn


class Versions(Drawn):
    """The line under a text; `save_version`, `restore_version`, `compare_version`, `mark_version` are its events."""

    script = "versions.js"
