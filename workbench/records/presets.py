"""Presets: named setups of conversations, stored per owner."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workbench.errors import BadInput
from workbench.names import usable_name
from workbench.records.run_config import RunConfig

MAX_PRESET_NAME_CHARS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPreset:
    """A preset in a list."""

    id: str
    """Random and hard to guess."""
    name: str
    """Unique among the owner's presets."""
    contract_name: str
    model: str
    updated_at: datetime
    """When it was saved or renamed, UTC."""
    share_key: str | None = None
    """Key in the link that shares it read-only; None while it is not shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPreset:
    """A preset with its setup."""

    listed: ListedPreset
    setup: RunConfig
    """Contract, tools, model, tool choice, sampling, limits and variables, with all texts as they were saved."""
    is_own: bool = True
    """False if it belongs to another owner and was opened by a link."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.listed.name


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPreset:
    """The result of saving a preset."""

    preset: ListedPreset
    replaced_id: str | None
    """The preset of the same name that it replaced, which can be restored; None if there was none."""


def preset_name(text: str) -> str:
    """Return the name of a preset as it is stored: without spaces around it.

    Raises:
        BadInput: The name is empty, too long, or has a character that is not visible.
    """
    name = usable_name(text.strip(), f"preset name {text.strip()!r}")
    if not name or len(name) > MAX_PRESET_NAME_CHARS:
        raise BadInput("preset name", "not usable", f"use 1 to {MAX_PRESET_NAME_CHARS} visible characters")
    return name
