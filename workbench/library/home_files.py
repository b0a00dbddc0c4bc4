"""The contracts, tools, suites and prices on disk: read byte for byte, and written back by versions."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from workbench.contract.contract import Contract, parse_contract
from workbench.errors import BadInput
from workbench.records.versions import VersionKind, check_name
from workbench.suite.case_rollout import Price

FILE: Final = "prices.yaml"


class _PriceForm(BaseModel):
    model_config = ConfigDict(extra="forbid")
    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class _PricesForm(RootModel[dict[str, _PriceForm]]):
    pass


def load_prices(data: Path) -> Mapping[str, Price]:
    """US dollars a million tokens by the model's name; empty where there is no file.

    Raises:
        BadInput: The file cannot be read.
    """
    path = data / FILE
    if not path.is_file():
        return {}
    try:
        form = _PricesForm.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise BadInput(f"file {path}", " ".join(str(error).split())) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        remedy = "write MODEL: {prompt: …, completion: …}"
        raise BadInput(f"file {path}, {place or 'the file'}", first["msg"], remedy) from error
    return {name: Price(one.prompt, one.completion) for name, one in form.root.items()}


class ContractFiles:
    """The contracts of one folder, read when asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "contracts"

    def contract_names(self) -> Sequence[str]:
        """Sorted."""
        return sorted(path.stem for path in self._folder.glob("*.md"))

    def load_contract_text(self, name: str) -> str:
        """The file's text, front matter and all.

        Raises:
            BadInput: There is no contract of that name.
        """
        names = self.contract_names()
        if name not in names:
            raise BadInput(f"contract {name!r}", "no such contract", f"there are {', '.join(names)}")
        try:
            # newline="": what stands in the file is what the model is told.
            with (self._folder / f"{name}.md").open(encoding="utf-8", newline="") as file:
                return file.read()
        except UnicodeDecodeError as error:
            raise BadInput(f"contract {name!r}", f"not UTF-8 at byte {error.start}") from error

    def load_contract(self, name: str) -> Contract:
        """The contract of that name.

        Raises:
            BadInput: There is none, or its file cannot be read.
        """
        return parse_contract(self.load_contract_text(name), name=name)


def find_folder(name: str, home: Path) -> Path:
    """The folder `name` of `home`, else the read-only copy inside the wheel, else the checkout's.

    Raises:
        BadInput: There is none: the installation is broken.
    """
    package = Path(__file__).parent.parent
    for folder in (home / name, package / "shipped" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise BadInput(f"folder {name}/", "not found", "install the package again, or run in a checkout")


class HomeFolder(NamedTuple):
    """Where the files of a kind are."""

    home: str
    """A folder that the home, or the package, has."""
    inside: str
    """Folder in it; empty where it has none."""
    ending: str


PLACES: Final = {
    VersionKind.CONTRACT: HomeFolder("prompts", "contracts", ".md"),
    VersionKind.TOOLS: HomeFolder("tools_catalog", "", ".yaml"),
    VersionKind.PRESET: HomeFolder("prompts", "presets", ".json"),
    VersionKind.SUITE: HomeFolder("prompts", "suites", ".yaml"),
}


class HomeFiles:
    """Reads from where the library reads, and writes there unless that is inside the package.

    Args:
        home: The current folder, or another that has `prompts/` and `tools_catalog/`.
    """

    def __init__(self, home: Path) -> None:
        self._home = home

    def names(self, kind: VersionKind) -> Sequence[str]:
        """Names that have a file, sorted."""
        place = PLACES[kind]
        return sorted(path.stem for path in self._folder(place).glob(f"*{place.ending}"))

    def find(self, kind: VersionKind, name: str) -> str | None:
        """The file's text; None where there is no file.

        Raises:
            BadInput: It is not UTF-8, or cannot be read.
        """
        return _text(self._path(kind, name)) if name in self.names(kind) else None

    def find_rows(self, name: str) -> str:
        """The text of a CSV file that lies beside the suites' files.

        Raises:
            BadInput: There is no such file there, or it cannot be read.
        """
        folder = self._folder(PLACES[VersionKind.SUITE])
        # Whatever a suite names, it is one of these: a name leads to no other folder.
        there = {path.name: path for path in sorted(folder.glob("*.csv"))}
        if name not in there:
            raise BadInput(f"file {name}", f"it does not lie in {folder}", "write the rows out under rows:")
        return _text(there[name])

    def save(self, kind: VersionKind, name: str, text: str, *, before: str | None) -> None:
        """Writes the file, whole or not at all.

        Raises:
            BadInput: The file no longer has the text `before` (None: is there now), or cannot be written.
        """
        check_name(name)
        path = self._path(kind, name)
        self._refuse_package(path)
        if self.find(kind, name) != before:
            raise BadInput(f"file {path}", "it was changed just now", "look at it and try again")
        aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(text.encode())
            if path.exists():
                aside.chmod(path.stat().st_mode)
            aside.replace(path)
        except OSError as error:
            raise BadInput(f"file {path}", str(error.strerror or error)) from error
        finally:
            with suppress(FileNotFoundError):
                aside.unlink()

    def describe(self, kind: VersionKind, name: str) -> str:
        """Where that file is, or would be; as seen from the home where it is inside."""
        path = self._path(kind, name)
        return str(path.relative_to(self._home) if path.is_relative_to(self._home) else path)

    def _folder(self, place: HomeFolder) -> Path:
        return find_folder(place.home, self._home) / place.inside

    def _path(self, kind: VersionKind, name: str) -> Path:
        place = PLACES[kind]
        return self._folder(place) / f"{name}{place.ending}"

    def _refuse_package(self, path: Path) -> None:
        package = Path(__file__).parent.parent
        if path.is_relative_to(package):
            raise BadInput(
                f"file {path}",
                "it belongs to the installed package",
                "name a folder that has prompts/ and tools_catalog/ by WORKBENCH_HOME",
            )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"file {path}", f"not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise BadInput(f"file {path}", str(error.strerror or error)) from error
