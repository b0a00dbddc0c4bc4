"""Read a GGUF file's type and chat templates from its header, without loading the model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from workbench.engines.gguf_files.header import read_values

TEMPLATE_KEY: Final = "tokenizer.chat_template"
"""The template; with `.NAME` behind it, one of several, such as `tokenizer.chat_template.tool_use`."""
DEFAULT_NAME: Final = "default"
"""What the template without a name is called."""

_TYPE_KEY: Final = "general.type"


def load_chat_templates(path: Path) -> Mapping[str, str]:
    """Templates by name, `default` among them; empty where the file has none.

    Raises:
        BadInput: There is no such file, or it is no GGUF that we can read.
    """
    values = read_values(path, lambda key: key == TEMPLATE_KEY or key.startswith(f"{TEMPLATE_KEY}."))
    return {
        key.removeprefix(TEMPLATE_KEY).removeprefix(".") or DEFAULT_NAME: text
        for key, text in values.items()
        if isinstance(text, str)
    }


def load_type(path: Path) -> str:
    """What the file holds: `model`, which is also meant where it says nothing, or `adapter`.

    Raises:
        BadInput: As `load_chat_templates`.
    """
    found = read_values(path, _TYPE_KEY.__eq__).get(_TYPE_KEY, "model")
    return found if isinstance(found, str) else "model"
