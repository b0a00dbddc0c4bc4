"""The port to the available models, and the status of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from workbench.rollout.ports import Engine
from workbench.rollout.server_abilities import ServerAbilities
from workbench.settings import Secret


@runtime_checkable
class Templated(Protocol):
    """An engine that can return its model's own chat template."""

    def chat_template(self) -> str | None:
        """Return the Jinja text: the template for tools if there are several. None if the model has none."""
        ...


_SERVER: Final = "openai:"
_MODES: Final = ("+chat", "+raw")


def without_mode(name: str) -> str:
    """Return the name of a model on a server without the mode of the run.

    >>> without_mode("openai:lab/hermes+raw"), without_mode("embedded+raw")
    ('openai:lab/hermes', 'embedded+raw')
    """
    mode = next((mode for mode in _MODES if name.endswith(mode)), "")
    return name.removesuffix(mode) if name.startswith(_SERVER) else name


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """The status of a model, loaded or not."""

    name: str
    device: str
    """Where it runs, such as `CPU, 30 layers, 2 threads` or `GPU, 33/33 layers, CUDA0 NVIDIA L4`."""
    is_loaded: bool
    """False until the model is first used. For a model on a server: whether the server has answered."""
    is_remote: bool = False
    """True for a model on a server."""
    build: str = ""
    """Version and features of llama.cpp. Empty if not known."""
    writes_tools: bool = False
    """True if its server writes the offered tools into the prompt, so that the contract leaves them out."""
    calls_freely: bool = True
    """True if the model calls tools without a forced call. False for the embedded model without an adapter."""
    context_tokens: int = 0
    """Size of the context of a model on a server; 0 if the server does not say."""
    abilities: ServerAbilities | None = None
    """What the server can do for the model. None if it was not asked yet, and for other models."""


class Models(Protocol):
    """The models that can be chosen."""

    def names(self) -> Sequence[str]:
        """Return the names of the available models, as `--model` accepts them.

        Asks no server. It contains the models of servers once they have listed them.
        """
        ...

    def ask_servers(self) -> Sequence[str]:
        """Ask the servers for their models, for some seconds at most, and return a problem for each that fails."""
        ...

    def check(self, name: str) -> None:
        """Ask the model's server whether it accepts the key and has the model, and find out what it can do.

        Does nothing for other models.

        Raises:
            RemoteFailed: The server does not answer within some seconds, refuses the key, or has no such model.
        """
        ...

    def with_paths(self, *, is_permitted: bool, guest: str = "") -> "Models":
        """Return a view of the same models.

        Without permission, it accepts only names from `names()` and names that do not refer to a file on this machine:
        models on the hub and on servers.

        Args:
            is_permitted: Whether any file of this machine may be used.
            guest: Key of a person without permission, whose own servers are included. Empty includes none.
        """
        ...

    def engine(self, name: str, *, token: Secret | None = None) -> Engine:
        """Return the engine for a name, loaded. The same name returns the same engine.

        Args:
            token: Access token of a visitor, for a model of the hub's Inference Providers. None uses the settings.

        Raises:
            ModelMissing: The model file does not exist.
            BadInput: The name has an unknown form.
        """
        ...

    def status(self, name: str) -> ModelStatus:
        """Return the status without loading the model."""
        ...

    def scripted(self, name: str, completions: Sequence[str]) -> Engine:
        """Return an engine that writes these completions, one after the other, for any prompt. Used by demos."""
        ...
