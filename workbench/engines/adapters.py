"""Adapters by name: the file that `MODEL+ADAPTER` means, and the adapters in the data folder with their receipts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.gguf import load_type
from workbench.engines.known_models import ADAPTER_FILE, EMBEDDED, find_embedded
from workbench.errors import BadInput


def is_plain(name: str) -> bool:
    """Whether a name is one part of a path on every system, so that a folder and the name stay in the folder.

    >>> [is_plain(name) for name in ("first", "../first", "a/b", "a\\\\b", "C:x", "..", "")]
    [True, False, False, False, False, False, False]
    """
    parts = PurePosixPath(name).name, PureWindowsPath(name).name
    return parts == (name, name) and name not in ("", ".", "..") and name.isprintable()


def place_of(text: str) -> Path:
    """The path that a person wrote, `~` filled in.

    Raises:
        BadInput: It can be none: too long, of a home that is not there, or with U+0000 in it.
    """
    try:
        if "\0" in text:
            raise ValueError("it holds U+0000")
        path = Path(text).expanduser()
        # Asked here, where a name that is too long for the system can be told from a file that is not there.
        path.exists()
    except (RuntimeError, ValueError, OSError) as error:
        raise BadInput(f"path {text[:100]!r}", f"it cannot be used: {error}"[:200], "name a file") from error
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A GGUF file of weights that are laid over a model."""

    title: str
    model: str
    """What `--model` takes to have it laid over its base."""
    base: str
    """The model below it, as `--model` takes it."""
    size_bytes: int
    receipt: JsonObject | None = field(default=None, hash=False)
    """What its training wrote beside it; None where there is nothing that can be read."""
    is_receipted: bool = False
    """Whether the receipt names this very file, by its SHA-256."""


PLUS: Final = "+"
"""Parts a model's name from its adapter's."""
BARE: Final = "bare"
"""In an adapter's place: none at all, not even the shipped one."""
_RECEIPT: Final = "receipt.json"
_REMEDY: Final = "name a GGUF adapter, or the folder that `workbench train` wrote"


class AdaptedName(NamedTuple):
    """A model's name, taken apart."""

    base: str
    """The model's own."""
    adapter: str
    """What is laid over it: a place, a name of the data folder, `bare`, or empty where nothing is said."""


def split_name(name: str) -> AdaptedName:
    """`MODEL+ADAPTER` taken apart; a file whose own name holds a plus is a model.

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
        # Too long for a file's name, or no path at all.
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFiles:
    """The adapters of this machine; see `workbench.engines.adapters.Adapters`."""

    folder: Path | None = None
    """Holds adapters by name, a folder each, as `workbench train` writes it; None where there is no such place."""
    shipped: Path | None = None
    """GGUF file that is laid over the embedded model; None where there is none, or it is switched off."""

    def available(self) -> Sequence[Adapter]:
        """The shipped one, then those of the folder over the embedded model; what is no adapter is left out."""
        files = sorted(self.folder.glob(f"*/{ADAPTER_FILE}")) if self.folder else ()
        own = (_describe(file, file.parent.name) for file in files)
        shipped = (_describe(self.shipped, ""),) if self.shipped else ()
        return tuple(filter(None, (*shipped, *own)))

    def describe(self, place: str, base: str) -> Adapter:
        """The adapter at a place.

        Args:
            place: A folder of `workbench train`, a GGUF file, or the name of one of the data folder.
            base: The model to lay it over.

        Raises:
            BadInput: There is none, or it is no adapter.
        """
        return _described(self.file(place), place, base)

    def file(self, place: str) -> Path:
        """The file that the part of a model's name behind the plus means.

        Raises:
            BadInput: There is none.
        """
        if self.folder and is_plain(place) and (self.folder / place / ADAPTER_FILE).is_file():
            return self.folder / place / ADAPTER_FILE
        path = place_of(place)
        path = path / ADAPTER_FILE if path.is_dir() else path
        if not path.is_file():
            raise BadInput(f"adapter {place!r}", f"no file {path}", _REMEDY)
        return path


NO_ADAPTERS: Final = AdapterFiles()
"""Where none are known."""


def _describe(file: Path, name: str) -> Adapter | None:
    """The adapter at `file`; None where it is none, or its receipt names another model."""
    base = EMBEDDED if not name else _base(_receipt(file))
    try:
        return _described(file, name, base) if base else None
    except BadInput:
        return None


def _described(file: Path, name: str, base: str) -> Adapter:
    """Without a name it is the shipped one, which needs none to be laid over.

    Raises:
        BadInput: It is no adapter.
    """
    kind = load_type(file)
    if kind != "adapter":
        raise BadInput(f"adapter {name!r}", f"{file.name} is a GGUF file of type {kind!r}", _REMEDY)
    receipt, stat = _receipt(file), file.stat()
    return Adapter(
        title=Path(name).name or "shipped with the workbench",
        model=f"{base}{PLUS}{name}" if name else base,
        base=base,
        size_bytes=stat.st_size,
        receipt=receipt,
        is_receipted=receipt is not None and _sha256(file, stat.st_mtime_ns) in _hashes(receipt),
    )


def _receipt(file: Path) -> JsonObject | None:
    try:
        value = cast(JsonValue, json.loads((file.parent / _RECEIPT).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _base(receipt: JsonObject | None) -> str:
    """The embedded model, where a receipt names its file; else empty: no other can be told by its file's name."""
    embedded = find_embedded()
    name = as_object((receipt or {}).get("base")).get("name")
    return EMBEDDED if embedded is not None and name == embedded.name else ""


def _hashes(receipt: JsonObject) -> list[JsonValue]:
    files = receipt.get("files")
    return [as_object(one).get("sha256") for one in files] if isinstance(files, list) else []


@lru_cache(maxsize=64)
def _sha256(file: Path, changed_ns: int) -> str:
    """Of the file as it was changed last: the names of models are asked for over and over."""
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
