"""What a GGUF file tells of itself in its head, read without loading the model: its type, its chat templates.

*Source:* GGUF specification, versions 2 and 3 (ggml, `docs/gguf.md`): little endian; magic, version, counts, then
key and value pairs, each value with its type.
"""

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from workbench.errors import BadInput

TEMPLATE_KEY: Final = "tokenizer.chat_template"
"""The template; with `.NAME` behind it, one of several, such as `tokenizer.chat_template.tool_use`."""
DEFAULT_NAME: Final = "default"
"""What the template without a name is called."""

_TYPE_KEY: Final = "general.type"

_STRING: Final = 8
_ARRAY: Final = 9
_SIZES: Final = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by its type, where that is fixed."""
_MAX_STRING_BYTES: Final = 16_000_000
_MAX_SKIP_BYTES: Final = 1 << 40


def load_chat_templates(path: Path) -> Mapping[str, str]:
    """Templates by name, `default` among them; empty where the file has none.

    Raises:
        BadInput: There is no such file, or it is no GGUF that we can read.
    """
    texts = _texts_of(path, lambda key: key == TEMPLATE_KEY or key.startswith(f"{TEMPLATE_KEY}."))
    return {
        key.removeprefix(TEMPLATE_KEY).removeprefix(".") or DEFAULT_NAME: text for key, text in texts.items()
    }


def load_type(path: Path) -> str:
    """What the file holds: `model`, which is also meant where it says nothing, or `adapter`.

    Raises:
        BadInput: As `load_chat_templates`.
    """
    return _texts_of(path, _TYPE_KEY.__eq__).get(_TYPE_KEY, "model")


def _texts_of(path: Path, is_wanted: Callable[[str], bool]) -> dict[str, str]:
    """The values of the wanted keys, as far as they are texts."""
    where = f"model file {path.name!r}"
    try:
        with path.open("rb") as file:
            return _texts(file, is_wanted)
    except OSError as error:
        raise BadInput(where, error.strerror or "cannot be read", "name a .gguf file") from error
    except (EOFError, UnicodeDecodeError, ValueError) as error:
        raise BadInput(
            where, str(error) or "it ends too early", "name a .gguf file, and fetch it anew"
        ) from error


def _texts(file: BinaryIO, is_wanted: Callable[[str], bool]) -> dict[str, str]:
    if file.read(4) != b"GGUF":
        raise ValueError("it is no GGUF file")
    version = _number(file, "<I")
    if version not in (2, 3):
        raise ValueError(f"it has GGUF version {version}; 2 and 3 can be read")
    _number(file, "<Q")  # The count of tensors, which stand behind.
    texts: dict[str, str] = {}
    for _ in range(_number(file, "<Q")):
        key, kind = _string(file), _number(file, "<I")
        if kind == _STRING and is_wanted(key):
            texts[key] = _string(file)
        else:
            _skip(file, kind)
    return texts


def _skip(file: BinaryIO, kind: int, count: int = 1) -> None:
    """Go behind `count` values of a type."""
    if kind in _SIZES:
        _skip_bytes(file, _SIZES[kind] * count)
    elif kind == _STRING:
        for _ in range(count):
            _skip_bytes(file, _number(file, "<Q"))
    elif kind == _ARRAY and count == 1:
        inner = _number(file, "<I")
        if inner == _ARRAY:
            raise ValueError("it has an array of arrays")
        _skip(file, inner, _number(file, "<Q"))
    else:
        raise ValueError(f"it has a value of unknown type {kind}")


def _skip_bytes(file: BinaryIO, size: int) -> None:
    if size > _MAX_SKIP_BYTES:
        raise EOFError("it ends too early")
    if size > 0:
        # Seeking goes past the end without a word; reading the last byte does not.
        file.seek(size - 1, 1)
        _read(file, 1)


def _string(file: BinaryIO) -> str:
    size = _number(file, "<Q")
    if size > _MAX_STRING_BYTES:
        raise ValueError("it has a text that is too long")
    return _read(file, size).decode("utf-8")


def _number(file: BinaryIO, layout: str) -> int:
    value: int = struct.unpack(layout, _read(file, struct.calcsize(layout)))[0]
    return value


def _read(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError("it ends too early")
    return data
