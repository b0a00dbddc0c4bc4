"""What a person means by `minimal`, `minimal@3`, `tools:nonsense@production` or a hash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.errors import BadInput
from workbench.records.versions import Version, VersionKind, parse_reference

if TYPE_CHECKING:
    from workbench.store.versions import VersionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundText:
    """A text that was referred to."""

    kind: VersionKind
    """What it is a text of."""
    name: str
    """Of the version; empty where it was only played."""
    label: str
    """What it is called, such as `contract:minimal@v3`."""
    text: str
    """Byte for byte."""
    version: Version | None
    """None where it was only played."""


def find_version(versions: VersionStore, reference: str) -> Version:
    """The version of a reference; where the kind is left out, that of the one kind that has the name.

    Raises:
        BadInput: There is none, or several kinds have the name.
        StoreError: The store cannot be read.
    """
    asked = parse_reference(reference)
    kinds = [asked.kind] if asked.kind else [kind for kind in VersionKind if versions.find(kind, asked.name)]
    if len(kinds) > 1:
        raise BadInput(
            f"version {reference!r}", "several kinds have that name", f"write {kinds[0]}:{reference}"
        )
    found = versions.find(kinds[0], asked.name, asked.which) if kinds else None
    if found is None:
        raise BadInput(f"version {reference!r}", "there is none", "`workbench versions list` shows them")
    return found


def find_text(versions: VersionStore, reference: str) -> FoundText:
    """The text of a reference; one that was only played is found by its hash, as in `minimal@3f2a91`.

    Raises:
        BadInput: There is none, or several kinds have the name.
        StoreError: The store cannot be read.
    """
    try:
        version = find_version(versions, reference)
    except BadInput:
        asked = parse_reference(reference)
        kind = asked.kind or VersionKind.CONTRACT
        kept = versions.find_text(kind, asked.which) if asked.which else None
        if kept is None:
            raise
        return FoundText(kind=kind, name="", label=f"{kind}@{kept.hash[:12]}", text=kept.text, version=None)
    return _found(version)


def find_before(versions: VersionStore, found: FoundText) -> FoundText:
    """What a version was made from; an empty text for a first one, and for one that was only played.

    Raises:
        StoreError: The store cannot be read.
    """
    parent_id = found.version.parent_id if found.version else None
    parent = versions.version(parent_id) if parent_id else None
    if parent is None:
        return FoundText(kind=found.kind, name=found.name, label="nothing", text="", version=None)
    return _found(parent)


def _found(version: Version) -> FoundText:
    label = f"{version.kind}:{version.name}@v{version.number}"
    return FoundText(kind=version.kind, name=version.name, label=label, text=version.text, version=version)
