"""Adapters as the page and the verbs see them: weights laid over a model, and the receipt of their training."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workbench.chat.json_value import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A GGUF file of weights that are laid over a model."""

    title: str
    """What it is called."""
    model: str
    """What `--model` takes to have it laid over its base."""
    base: str
    """The model below it, as `--model` takes it."""
    size_bytes: int
    """Of the file."""
    receipt: JsonObject | None = field(default=None, hash=False)
    """What its training wrote beside it; None where there is nothing that can be read."""
    is_receipted: bool = False
    """Whether the receipt names this very file, by its SHA-256."""


class Adapters(Protocol):
    """The adapters of this machine."""

    def found(self) -> Sequence[Adapter]:
        """The shipped one, then those of the data folder."""
        ...

    def look(self, place: str, base: str) -> Adapter:
        """The adapter at a place.

        Args:
            place: A folder of `workbench train`, a GGUF file, or the name of one of the data folder.
            base: The model to lay it over.

        Raises:
            BadInput: There is none, or it is no adapter.
        """
        ...
