"""Settings, read from the environment variables. No other module reads them."""

from workbench.settings.parsing import Secret, read_secret
from workbench.settings.reading import (
    CHOSEN_MODEL,
    choose_model,
    chosen_model,
    read_settings,
    uses_colour,
)
from workbench.settings.value import (
    GATEWAY_CALLS,
    GATEWAY_LEVELS,
    KV_TYPES,
    VARIABLES,
    FlashAttention,
    Settings,
)
from workbench.settings.variable import Variable, Variables

__all__ = [
    "CHOSEN_MODEL",
    "GATEWAY_CALLS",
    "GATEWAY_LEVELS",
    "KV_TYPES",
    "VARIABLES",
    "FlashAttention",
    "Secret",
    "Settings",
    "Variable",
    "Variables",
    "choose_model",
    "chosen_model",
    "read_secret",
    "read_settings",
    "uses_colour",
]
