"""The port to the available models, and what is known about each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from workbench.rollout.ports import Engine
from workbench.settings import Secret


@runtime_checkable
class Templated(Protocol):
    """An engine that knows its model's own chat template."""

    def chat_template(self) -> str | None:
        """The Jinja text, the one for tools where there are several; None where the model has none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """What is known of the model that is loaded."""

    name: str
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
            token: A visitor's own, for a model that the hub's providers serve; None takes the settings'.

        Raises:
            ModelMissing: Its file is not there.
            BadInput: The name is of no known form.
        """
        ...

    def status(self, name: str) -> ModelStatus:
        """What is known without loading it."""
        ...

    def scripted(self, name: str, completions: Sequence[str]) -> Engine:
        """An engine that writes these completions, one after the other, whatever it is asked; for demos."""
        ...
