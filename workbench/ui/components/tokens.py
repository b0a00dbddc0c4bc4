"""Prompt and completion token by token; `ask_tokens` and `weigh` are its events."""

from workbench.ui.components.drawn import Drawn


class Tokens(Drawn):
    """Prompt and completion token by token; `ask_tokens` and `weigh` are its events."""

    shared = ("asking.js",)
    script = "tokens.js"
