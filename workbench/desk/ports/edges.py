"""The ports of the edges but the store: library, catalog, models, calendar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from workbench.contract.contract import Contract
from workbench.rollout.ports import Engine, Toolbox
from workbench.settings import Secret
from workbench.toolspec.spec import OfferedTools


class Library(Protocol):
    """The contracts on disk."""

    def contract_names(self) -> Sequence[str]:
        """Sorted."""
        ...

    def load_contract_text(self, name: str) -> str:
        """The file's text, front matter and all.

        Raises:
            BadInput: There is no contract of that name.
        """
        ...

    def load_contract(self, name: str) -> Contract:
        """The contract of that name.

        Raises:
            BadInput: There is none, or its file cannot be read.
        """
        ...


class Catalog(Protocol):
    """The tools on disk, in toolsets."""

    def toolsets(self) -> Mapping[str, OfferedTools]:
        """Each toolset's tools, by the toolset's name, sorted."""
        ...

    def select(self, selectors: Sequence[str]) -> OfferedTools:
        """The tools of toolsets, tools and files, in the order named, each once.

        Raises:
            BadInput: A selector is neither a toolset, a tool nor a readable file.
        """
        ...

    def toolbox(self) -> Toolbox:
        """Runs the catalog's mocks."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """What is known of the model that is loaded."""

    name: str
    """As a person names it."""
    device: str
    """Where it runs, such as `CPU, 30 layers, 2 threads` or `GPU, 33/33 layers, CUDA0 NVIDIA L4`."""
    is_loaded: bool
    """False until it is first asked."""
    build: str = ""
    """What runs it: version, what the build can use; empty where it is not known."""
    writes_tools: bool = False
    """True: its server writes the offered tools into the prompt; the contract leaves them out."""


class Models(Protocol):
    """The models that can be chosen."""

    def names(self) -> Sequence[str]:
        """Names that `--model` takes and that are there now."""
        ...

    def engine(self, name: str, *, token: Secret | None = None) -> Engine:
        """The engine of that name, loaded; asking again gives the same one.

        Args:
            name: As `--model` takes it.
            token: A visitor's own, for a model that the hub's providers serve; None takes the settings'.

        Raises:
            ModelMissing: Its file is not there.
            BadInput: The name is of no known form.
        """
        ...

    def status(self, name: str) -> ModelStatus:
        """What is known without loading it."""
        ...


class Calendar(Protocol):
    """Tells the time of day, and how long things take."""

    def seconds(self) -> float:
        """A reading that only goes forward."""
        ...

    def now(self) -> datetime:
        """The moment, UTC."""
        ...
