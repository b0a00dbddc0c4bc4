"""Read contracts, tools, suites and prices from disk byte for byte, and write versions back."""

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple
from unicodedata import normalize

import yaml
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from workbench.contract.contract import Contract, parse_contract
from workbench.errors import BadInput
from workbench.records.versions import VersionKind, check_name, no_such_contract
from workbench.suite.case_rollout import Price
from workbench.toolspec.form_faults import first_fault

FILE: Final = "prices.yaml"


class _PriceForm(BaseModel):
    model_config = ConfigDict(extra="forbid")
    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class _PricesForm(RootModel[dict[str, _PriceForm]]):
    pass


def load_prices(data: Path) -> Mapping[str, Price]:
    """Read prices from `prices.yaml`: US dollars per million tokens, by model name. Empty if there is no file.

    Raises:
        BadInput: The file cannot be read or parsed.
    """
    path = data / FILE
    if not path.is_file():
        return {}
    try:
        form = _PricesForm.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise BadInput(f"file {path}", " ".join(str(error).split())) from error
    except ValidationError as error:
        place, problem = first_fault(error, _PricesForm)
        remedy = "write MODEL: {prompt: …, completion: …}"
        raise BadInput(f"file {path}, {place or 'the file'}", problem, remedy) from error
    return {name: Price(price.prompt, price.completion) for name, price in form.root.items()}


class ContractFiles:
    """The contracts of a folder, read when they are needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "contracts"

    def contract_names(self) -> Sequence[str]:
        """Return the names of the contracts, sorted."""
        return sorted(path.stem for path in self._folder.glob("*.md"))

    def load_contract_text(self, name: str) -> str:
        """Read a contract's file, including its front matter.

        Raises:
            BadInput: There is no contract with that name, or its file is not UTF-8.
        """
        names = self.contract_names()
        if name not in names:
            raise no_such_contract(name, names)
        try:
            # newline="" keeps line breaks as they are: the model gets exactly the file's text.
            with (self._folder / f"{name}.md").open(encoding="utf-8", newline="") as file:
                return file.read()
        except UnicodeDecodeError as error:
            raise BadInput(f"contract {name!r}", f"not UTF-8 at byte {error.start}") from error

    def load_contract(self, name: str) -> Contract:
        """Read and parse a contract.

        Raises:
            BadInput: There is no contract with that name, or its file cannot be read.
        """
        return parse_contract(self.load_contract_text(name), name=name)


def find_folder(name: str, home: Path) -> Path:
    """Return the folder `name` of `home`, else the read-only copy in the package, else the checkout's.

    Raises:
        BadInput: There is no such folder, so the installation is broken.
    """
    package = Path(__file__).parent.parent
    for folder in (home / name, package / "shipped" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise BadInput(f"folder {name}/", "not found", "reinstall the package, or run in a checkout")


class HomeFolder(NamedTuple):
    """Location of the files of a kind."""

    home: str
    inside: str
    """Folder inside it; empty for none."""
    ending: str


PLACES: Final = {
    VersionKind.CONTRACT: HomeFolder("prompts", "contracts", ".md"),
    VersionKind.TOOLS: HomeFolder("tools_catalog", "", ".yaml"),
    VersionKind.PRESET: HomeFolder("prompts", "presets", ".json"),
    VersionKind.SUITE: HomeFolder("prompts", "suites", ".yaml"),
}


class _SeenFile(NamedTuple):
    """A file as it was read."""

    state: tuple[int, ...]
    hash: str


class HomeFiles:
    """Reads files from the home, or else from the package, and writes to the home.

    Args:
        home: A folder with `prompts/` and `tools_catalog/`; the current folder by default.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._seen: dict[Path, _SeenFile] = {}

    def hashes(self, kind: VersionKind) -> Mapping[str, str]:
        """Return the SHA-256 of each file, by its name. A file is read again only after it was changed.

        Raises:
            BadInput: A file cannot be read.
        """
        place = PLACES[kind]
        found: dict[str, str] = {}
        try:
            for entry in os.scandir(self._folder(place)):
                if not entry.name.endswith(place.ending):
                    continue
                path, status = Path(entry.path), entry.stat()
                state = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                seen = self._seen.get(path)
                if seen is None or seen.state != state:
                    seen = self._seen[path] = _SeenFile(state, sha256(path.read_bytes()).hexdigest())
                found[normalize("NFC", path.stem)] = seen.hash
        except OSError as error:
            raise BadInput(f"folder {place.home}/", str(error.strerror or error)) from error
        return found

    def names(self, kind: VersionKind) -> Sequence[str]:
        """Return the names that have a file, sorted."""
        place = PLACES[kind]
        return sorted(normalize("NFC", path.stem) for path in self._folder(place).glob(f"*{place.ending}"))

    def find(self, kind: VersionKind, name: str) -> str | None:
        """Return the file's text, or None if there is no file.

        Raises:
            BadInput: It is not UTF-8, or cannot be read.
        """
        is_there = normalize("NFC", name) in self.names(kind)
        return _text(self._path(kind, name)) if is_there else None

    def find_rows(self, name: str) -> str:
        """Return the text of a CSV file in the folder of the suites.

        Raises:
            BadInput: There is no such file there, or it cannot be read.
        """
        folder = self._folder(PLACES[VersionKind.SUITE])
        # The name must be one of these, so that a suite cannot read files of other folders.
        files_by_name = {path.name: path for path in sorted(folder.glob("*.csv"))}
        if name not in files_by_name:
            raise BadInput(
                f"file {name}", f"not found in {folder}", "move it there, or write the rows under rows:"
            )
        return _text(files_by_name[name])

    def save(self, kind: VersionKind, name: str, text: str, *, before: str | None) -> None:
        """Write the file, completely or not at all.

        Raises:
            BadInput: The file's text is no longer `before` (None: the file exists now), it is not in the home, or it
                cannot be written.
        """
        check_name(name)
        path = self._path(kind, name)
        self._refuse_shipped(path, PLACES[kind])
        if self.find(kind, name) != before:
            raise BadInput(f"file {path}", "it was changed in the meantime", "check it and try again")
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(text.encode())
            if path.exists():
                temporary.chmod(path.stat().st_mode)
            temporary.replace(path)
        except OSError as error:
            raise BadInput(f"file {path}", str(error.strerror or error)) from error
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()

    def describe(self, kind: VersionKind, name: str) -> str:
        """Return the path of the file, which may not exist; relative to the home if it is inside."""
        path = self._path(kind, name)
        return str(path.relative_to(self._home) if path.is_relative_to(self._home) else path)

    def _folder(self, place: HomeFolder) -> Path:
        return find_folder(place.home, self._home) / place.inside

    def _path(self, kind: VersionKind, name: str) -> Path:
        place = PLACES[kind]
        folder = self._folder(place)
        path = folder / f"{name}{place.ending}"
        if name.isascii() or path.exists():
            return path
        # The name of a file from a Mac may have accents as characters of their own.
        composed = normalize("NFC", name)
        files = folder.glob(f"*{place.ending}")
        return next((file for file in files if normalize("NFC", file.stem) == composed), path)

    def _refuse_shipped(self, path: Path, place: HomeFolder) -> None:
        """Refuse to write to the copies that come with the workbench, which are used if the home has no such folder.

        Raises:
            BadInput: The file is not in the home, or the home is inside the package.
        """
        package = Path(__file__).parent.parent
        if path.is_relative_to(self._home) and not path.is_relative_to(package):
            return
        if self._home.is_relative_to(package):
            remedy = f"set WORKBENCH_HOME to a folder of yours that has a copy of {place.home}/"
        else:
            remedy = (
                f"copy {find_folder(place.home, self._home)} to {self._home / place.home}, then try again"
            )
        raise BadInput(f"file {path}", "it belongs to the workbench and is read-only", remedy)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"file {path}", f"not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise BadInput(f"file {path}", str(error.strerror or error)) from error
