"""Changes of a component's properties, in the form in which Gradio sends them.

*Gradio 6.31:* `helpers.update`, `helpers.skip`.
"""

from collections.abc import Mapping
from typing import Final

Update = Mapping[str, object]
"""A change of a component's properties, as `gr.update` returns it."""

SAME: Final[Update] = {"__type__": "update"}
"""Leaves a component unchanged; equal to `gr.skip()`, whose type is not known."""
