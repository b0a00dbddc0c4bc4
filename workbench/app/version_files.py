"""Keep files and versions in step: files become first versions, and versions are written back to files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.errors import BadInput
from workbench.records.versions import FileState, StoredText, Version, VersionKind, hash_of, parse_reference

if TYPE_CHECKING:
    from workbench.library.home_files import HomeFiles
    from workbench.store.versions import VersionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencedText:
    """A text that was referred to."""

    kind: VersionKind
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


def find_text(versions: VersionStore, reference: str) -> ReferencedText:
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
        return ReferencedText(
            kind=kind, name="", label=f"{kind}@{kept.hash[:12]}", text=kept.text, version=None
        )
    return _found(version)


def find_before(versions: VersionStore, found: ReferencedText) -> ReferencedText:
    """What a version was made from; an empty text for a first one, and for one that was only played.

    Raises:
        StoreError: The store cannot be read.
    """
    parent_id = found.version.parent_id if found.version else None
    parent = versions.version(parent_id) if parent_id else None
    if parent is None:
        return ReferencedText(kind=found.kind, name=found.name, label="nothing", text="", version=None)
    return _found(parent)


def _found(version: Version) -> ReferencedText:
    label = f"{version.kind}:{version.name}@v{version.number}"
    return ReferencedText(
        kind=version.kind, name=version.name, label=label, text=version.text, version=version
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFileState:
    """How a file and the versions of its name stand to each other."""

    place: str
    state: FileState
    head: Version
    """The newest version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """What became of a file."""

    place: str
    is_changed: bool
    """False where it had the version's text already."""
    overwritten: StoredText | None
    """The text that was overwritten though the version had not come from it; it is kept. None for none."""


def take_files(files: HomeFiles, shared: VersionStore) -> None:
    """Takes every file that is new, or was changed while its newest version was not.

    What cannot be read is passed over: whoever uses it is told.

    Raises:
        StoreError: The store cannot be read or written.
    """
    for kind in VersionKind:
        for name in files.names(kind):
            try:
                take_file(files, shared, kind, name)
            except BadInput:
                continue


def take_file(
    files: HomeFiles, shared: VersionStore, kind: VersionKind, name: str, *, is_deliberate: bool = False
) -> VersionFileState | None:
    """The same for one file; None where there is no such file.

    Args:
        name: Of the file, without its ending.
        is_deliberate: True takes a changed file also where the newest version was changed too.

    Raises:
        BadInput: The file cannot be read or stored.
        StoreError: The store cannot be read or written.
    """
    text = files.find(kind, name)
    if text is None:
        return None
    state, head = shared.take_file(kind, name, text, is_deliberate=is_deliberate)
    return VersionFileState(place=files.describe(kind, name), state=state, head=head)


def write_file(
    files: HomeFiles, versions: VersionStore, version: Version, *, is_forced: bool = False
) -> WrittenFile:
    """Writes a version to its file, byte for byte.

    Args:
        versions: Where the version is kept.
        is_forced: True overwrites a file whose text the version was not made from; the text is kept.

    Raises:
        BadInput: The file was changed meanwhile, or cannot be written.
        StoreError: The store cannot be read or written.
    """
    place = files.describe(version.kind, version.name)
    before = files.find(version.kind, version.name)
    overwritten = None
    if before is not None and not versions.comes_from(version.id, hash_of(before)):
        if not is_forced:
            raise BadInput(
                f"file {place}",
                f"changed meanwhile: v{version.number} was not made from its text",
                "`workbench versions import` takes it as a version; --force overwrites it",
            )
        overwritten = versions.keep_text(version.kind, before)
    if before != version.text:
        files.save(version.kind, version.name, version.text, before=before)
    versions.note_file(version.id)
    return WrittenFile(place=place, is_changed=before != version.text, overwritten=overwritten)
