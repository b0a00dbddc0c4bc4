"""The ports of the edges but the store: library, catalog, models, calendar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from workbench.app.ports.tools import NO_TASK, Availability, ToolTask
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
    """The tools there are, in toolsets."""

    def toolsets(self) -> Mapping[str, OfferedTools]:
        """Each toolset's tools, by the toolset's name, sorted."""
        ...

    def select(self, names: Sequence[str]) -> OfferedTools:
        """The tools of toolsets and tools, in the order named, each once; a name is never a path.

        Raises:
            BadInput: There is no toolset and no tool of a name.
        """
        ...

    def select_files(self, selectors: Sequence[str]) -> OfferedTools:
        """The same, but that a selector may be a JSON file: for whoever is at the machine itself.

        Raises:
            BadInput: A selector is neither a toolset, a tool nor a readable file.
        """
        ...

    def with_toolsets(self, texts: Mapping[str, str]) -> "Catalog":
        """The same tools, with these toolsets in place of their files, or beside them.

        A text that cannot be used is told among the problems.

        Args:
            texts: Of the form of a catalog's file, by the file's name.
        """
        ...

    def with_commands(self, *, is_permitted: bool) -> "Catalog":
        """The same tools; without permission, those that run commands are the mocks of their files."""
        ...

    def add_server(self, name: str, address: str) -> Sequence[str]:
        """Adds an MCP server to the settings file, and its tools to these.

        Args:
            name: As people name it.
            address: Of a streamable HTTP server, or the command line of a program of this machine.

        Returns:
            A line about each of its tools that cannot be used.

        Raises:
            BadInput: There is one of that name, it does not answer, or servers are not used here.
        """
        ...

    def toolbox(self, task: ToolTask = NO_TASK) -> Toolbox:
        """Runs calls of one task: the catalog's mocks and handlers."""
        ...

    def availability(self) -> Sequence[Availability]:
        """Whether each tool can be used now, by name."""
        ...

    def problems(self) -> Sequence[str]:
        """A line about each tool file, package or server that could not be used."""
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
    calls_freely: bool = True
    """Whether it calls a tool without being made to; False of the bare embedded model."""


class Models(Protocol):
    """The models that can be chosen."""

    def names(self) -> Sequence[str]:
        """Names that `--model` takes and that are there now."""
        ...

    def with_paths(self, *, is_permitted: bool) -> "Models":
        """The same models; without permission, only by names that are offered, the hub's and the servers'."""
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

    def written(self, name: str, completions: Sequence[str]) -> Engine:
        """An engine that writes these completions, one after the other, whatever it is asked; for demos."""
        ...


class Calendar(Protocol):
    """Tells the time of day, and how long things take."""

    def seconds(self) -> float:
        """A reading that only goes forward."""
        ...

    def now(self) -> datetime:
        """The moment, UTC."""
        ...
