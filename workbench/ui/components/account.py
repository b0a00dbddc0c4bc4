"""Who is logged in, and how to log out."""

from workbench.ui.components.drawn import Drawn


class Account(Drawn):
    """Who is logged in, and how to log out."""

    script = "account.js"
