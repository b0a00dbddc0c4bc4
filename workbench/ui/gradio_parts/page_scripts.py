"""The scripts of this room, which run before Gradio's own."""

from collections.abc import Sequence
from pathlib import Path


def gradio_scripts() -> Sequence[str]:
    """Return the texts of the scripts, in the order in which they run."""
    names = ("raw_config", "stream", "frames", "mount", "layouts", "form_fields", "drawn", "code_view")
    return [Path(__file__).with_name(f"{name}.js").read_text(encoding="utf-8") for name in names]
