"""The line under a contract; `save_version`, `restore_version` and `mark_version` are its events."""

from workbench.ui.components.drawn import Drawn


class Versions(Drawn):
    """The line under a contract; `save_version`, `restore_version` and `mark_version` are its events."""

    script = "versions.js"
