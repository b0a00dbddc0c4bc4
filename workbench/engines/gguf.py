"""Read a GGUF file's type and chat templates from its header, without loading the model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from workbench.engines.gguf_files.header import read_values

TEMPLATE_KEY: Final = "tokenizer.chat_template"
"""Key of the template. With a suffix, key of a named one, such as `tokenizer.chat_template.tool_use`."""
DEFAULT_NAME: Final = "default"
"""Name of the template without a suffix."""

_TYPE_KEY: Final = "general.type"


def load_chat_templates(path: Path) -> Mapping[str, str]:
    """Return the chat templates of a file by name, such as `default`. Empty if it has none.

    Raises:
        BadInput: There is no such file, or it is not a GGUF file that can be parsed.
    """
    values = read_values(path, lambda key: key == TEMPLATE_KEY or key.startswith(f"{TEMPLATE_KEY}."))
    return {
        key.removeprefix(TEMPLATE_KEY).removeprefix(".") or DEFAULT_NAME: text
        for key, text in values.items()
        if isinstance(text, str)
    }


def load_type(path: Path) -> str:
    """Return the type of a file, such as `model` or `adapter`. A file without a type is a `model`.

    Raises:
        BadInput: There is no such file, or it is not a GGUF file that can be parsed.
    """
    file_type = read_values(path, _TYPE_KEY.__eq__).get(_TYPE_KEY, "model")
    return file_type if isinstance(file_type, str) else "model"
