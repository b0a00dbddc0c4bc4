"""Adapters: find the file for a name `MODEL+ADAPTER`, and list those in the data folder with their receipts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.embedded_model import ADAPTER_FILE, EMBEDDED, find_embedded
from workbench.engines.gguf import load_type
from workbench.errors import BadInput


def is_plain(name: str) -> bool:
    """Return whether a name is a single part of a path on every system, so that a path with it stays in its folder.

    >>> [is_plain(name) for name in ("first", "../first", "a/b", "a\\\\b", "C:x", "..", "")]
    [True, False, False, False, False, False, False]
    """
    parts = PurePosixPath(name).name, PureWindowsPath(name).name
    return parts == (name, name) and name not in ("", ".", "..") and name.isprintable()


def place_of(text: str) -> Path:
    """Turn a path that a person entered into a Path, with `~` expanded.

    Raises:
        BadInput: It is not a possible path: too long, with the home of an unknown user, or with U+0000.
    """
    try:
        if "\0" in text:
            raise ValueError("it contains U+0000")
        path = Path(text).expanduser()
        # Fails here for a name that is too long, which would otherwise look like a missing file.
        path.exists()
    except (RuntimeError, ValueError, OSError) as error:
        raise BadInput(
            f"path {text[:100]!r}", f"not a valid path: {error}"[:200], "enter the path of a file"
        ) from error
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A GGUF file with a LoRA adapter."""

    title: str
    model: str
    """Name for `--model`: the base with this adapter."""
    base: str
    """Name of the base model for `--model`."""
    size_bytes: int
    receipt: JsonObject | None = field(default=None, hash=False)
    """The receipt that its training wrote into the same folder. None if there is no readable one."""
    is_receipted: bool = False
    """Whether the receipt contains the SHA-256 of this file."""


PLUS: Final = "+"
"""Separates the name of a model from that of its adapter."""
BARE: Final = "bare"
"""Name for no adapter, not even the shipped one."""
_RECEIPT: Final = "receipt.json"
_REMEDY: Final = "enter a GGUF adapter or an output folder of `workbench train`"


class AdaptedName(NamedTuple):
    """The parts of a model's name."""

    base: str
    adapter: str
    """A path, the name of an adapter in the data folder, `bare`, or empty if the name has no adapter."""


def split_name(name: str) -> AdaptedName:
    """Split `MODEL+ADAPTER` at the first plus. The path of an existing file that contains a plus is not split.

    >>> split_name("embedded+runs/first")
    AdaptedName(base='embedded', adapter='runs/first')
    >>> split_name("embedded")
    AdaptedName(base='embedded', adapter='')
    """
    base, plus, adapter = name.partition(PLUS)
    if not plus or _is_file(name):
        return AdaptedName(name, "")
    return AdaptedName(base, adapter)


def _is_file(name: str) -> bool:
    try:
        return place_of(name).is_file()
    except (BadInput, OSError):
        # Too long for a file name, or not a path.
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFiles:
    """Finds the adapters on this machine."""

    folder: Path | None = None
    """Folder with one folder for each adapter, as `workbench train` writes it. None if there is no such folder."""
    shipped: Path | None = None
    """GGUF file of the embedded model's default adapter. None without one, or if it is turned off."""

    def available(self) -> Sequence[Adapter]:
        """Return the shipped adapter, then those in the folder whose base is the embedded model."""
        files = sorted(self.folder.glob(f"*/{ADAPTER_FILE}")) if self.folder else ()
        own = (_describe(file, file.parent.name) for file in files)
        shipped = (_describe(self.shipped, ""),) if self.shipped else ()
        return tuple(filter(None, (*shipped, *own)))

    def describe(self, place: str, base: str) -> Adapter:
        """Return the adapter at a location.

        Args:
            place: An output folder of `workbench train`, a GGUF file, or the name of an adapter in the data folder.
            base: Name of the model to use it with.

        Raises:
            BadInput: There is no file, or the file is not an adapter.
        """
        return _described(self.file(place), place, base)

    def file(self, place: str) -> Path:
        """Return the file for the part of a model's name after the plus.

        Raises:
            BadInput: There is no such file.
        """
        if self.folder and is_plain(place) and (self.folder / place / ADAPTER_FILE).is_file():
            return self.folder / place / ADAPTER_FILE
        path = place_of(place)
        path = path / ADAPTER_FILE if path.is_dir() else path
        if not path.is_file():
            raise BadInput(f"adapter {place!r}", f"there is no file {path}", _REMEDY)
        return path


NO_ADAPTERS: Final = AdapterFiles()


def _describe(file: Path, name: str) -> Adapter | None:
    """Return the adapter in `file`. None if it is not an adapter, or its receipt names another base."""
    base = EMBEDDED if not name else _base(read_receipt(file))
    try:
        return _described(file, name, base) if base else None
    except BadInput:
        return None


def _described(file: Path, name: str, base: str) -> Adapter:
    """Return the adapter in `file`. An empty name means the shipped one, which is used without being named.

    Raises:
        BadInput: The file is not an adapter.
    """
    kind = load_type(file)
    if kind != "adapter":
        raise BadInput(
            f"adapter {name!r}", f"{file.name} is a GGUF file of type {kind!r}, not an adapter", _REMEDY
        )
    receipt, stat = read_receipt(file), file.stat()
    return Adapter(
        title=Path(name).name or "shipped with the workbench",
        model=f"{base}{PLUS}{name}" if name else base,
        base=base,
        size_bytes=stat.st_size,
        receipt=receipt,
        is_receipted=receipt is not None and _sha256(file, stat.st_mtime_ns) in _hashes(receipt),
    )


def read_receipt(file: Path) -> JsonObject | None:
    """Return the receipt that training wrote next to the adapter in `file`. None if there is no readable one."""
    try:
        value = cast(JsonValue, json.loads((file.parent / _RECEIPT).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _base(receipt: JsonObject | None) -> str:
    """Return `embedded` if the receipt names its file, otherwise an empty text: other models cannot be recognized."""
    embedded = find_embedded()
    name = as_object((receipt or {}).get("base")).get("name")
    return EMBEDDED if embedded is not None and name == embedded.name else ""


def _hashes(receipt: JsonObject) -> list[JsonValue]:
    files = receipt.get("files")
    return [as_object(entry).get("sha256") for entry in files] if isinstance(files, list) else []


@lru_cache(maxsize=64)
def _sha256(file: Path, changed_ns: int) -> str:
    """Return the SHA-256 (hex) of a file. Cached by its time of change, because models are listed often."""
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
