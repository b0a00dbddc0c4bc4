"""The keys of the page, shown by `?`."""

from workbench.ui.components.drawn import Drawn


class KeysHelp(Drawn):
    """The keys of the page, shown by `?`."""

    script = "keys_help.js"
