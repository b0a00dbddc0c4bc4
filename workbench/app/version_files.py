"""Synchronize files and versions: files are imported as versions, and versions are written to files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.errors import BadInput
from workbench.names import hidden_character, name_key, shown_title
from workbench.records.versions import FileState, StoredText, Version, VersionKind, hash_of, parse_reference

if TYPE_CHECKING:
    from workbench.library.home_files import HomeFiles
    from workbench.store.versions.versions import VersionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencedText:
    """A text that a reference stands for."""

    kind: VersionKind
    name: str
    """Name of the version. Empty if the text is not a version and was only used in sessions."""
    label: str
    """Such as `contract:minimal@v3`."""
    text: str
    """Byte for byte."""
    version: Version | None
    """None if the text is not a version."""


def find_version(versions: VersionStore, reference: str) -> Version:
    """Return the version of a reference. The kind can be left out if only one kind has the name.

    Raises:
        BadInput: There is no such version, or several kinds have the name.
        StoreError: The store cannot be read.
    """
    parsed = parse_reference(reference)
    kinds = (
        [parsed.kind] if parsed.kind else [kind for kind in VersionKind if versions.find(kind, parsed.name)]
    )
    if len(kinds) > 1:
        raise BadInput(
            f"version {reference!r}", "several kinds have this name", f"write {kinds[0]}:{reference}"
        )
    found = versions.find(kinds[0], parsed.name, parsed.which) if kinds else None
    if found is None:
        raise BadInput(
            f"version {reference!r}", "there is no such version", "list them with `workbench versions list`"
        )
    return found


def find_text(versions: VersionStore, reference: str) -> ReferencedText:
    """Return the text of a reference. A text that was only used in sessions is found by its hash: `minimal@3f2a91`.

    Raises:
        BadInput: There is no such text, or several kinds have the name.
        StoreError: The store cannot be read.
    """
    try:
        version = find_version(versions, reference)
    except BadInput:
        parsed = parse_reference(reference)
        kind = parsed.kind or VersionKind.CONTRACT
        stored = versions.find_text(kind, parsed.which) if parsed.which else None
        if stored is None:
            raise
        return ReferencedText(
            kind=kind, name="", label=f"{kind}@{stored.hash[:12]}", text=stored.text, version=None
        )
    return _text_of(version)


def find_before(versions: VersionStore, found: ReferencedText) -> ReferencedText:
    """Return the text that a version was made from. It is empty for a first version and a text without versions.

    Raises:
        StoreError: The store cannot be read.
    """
    parent_id = found.version.parent_id if found.version else None
    parent = versions.version(parent_id) if parent_id else None
    if parent is None:
        return ReferencedText(kind=found.kind, name=found.name, label="nothing", text="", version=None)
    return _text_of(parent)


def _text_of(version: Version) -> ReferencedText:
    label = f"{version.kind}:{version.name}@v{version.number}"
    return ReferencedText(
        kind=version.kind, name=version.name, label=label, text=version.text, version=version
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFileState:
    """How a file relates to the versions of its name."""

    place: str
    """The file, for a person."""
    state: FileState
    head: Version
    """The newest version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """The result of writing a version to its file."""

    place: str
    """The file, for a person."""
    is_changed: bool
    """False if the file already had the version's text."""
    overwritten: StoredText | None
    """The overwritten text if the version was not made from it. It is stored under its hash. None otherwise."""


def take_files(files: HomeFiles, shared: VersionStore) -> None:
    """Import every file that is new, or that changed while the newest version of its name did not.

    Files that cannot be read are skipped. Using one of them raises an error. Usually no file changed, which one query
    for each kind shows.

    Raises:
        StoreError: The store cannot be read or written.
    """
    for kind in VersionKind:
        taken = shared.taken_hashes(kind)
        for name in files.names(kind):
            try:
                text = files.find(kind, name)
                if text is not None and taken.get(name) != hash_of(text):
                    shared.take_file(kind, name, text)
            except BadInput:
                continue


def take_file(
    files: HomeFiles, shared: VersionStore, kind: VersionKind, name: str, *, is_deliberate: bool = False
) -> VersionFileState | None:
    """Import one file under the same condition. None if there is no such file.

    Args:
        name: Name of the file without its extension.
        is_deliberate: True imports a changed file even if the newest version also changed.

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
    """Write a version to its file, byte for byte.

    Args:
        versions: The store of the version.
        is_forced: True overwrites a file whose text the version was not made from. That text is stored.

    Raises:
        BadInput: The file was changed since, or cannot be written.
        StoreError: The store cannot be read or written.
    """
    name = _file_name(files, versions, version)
    place = files.describe(version.kind, name)
    before = files.find(version.kind, name)
    overwritten = None
    if before is not None and not versions.comes_from(version.id, hash_of(before)):
        if not is_forced:
            raise BadInput(
                f"file {place}",
                f"it was changed: v{version.number} was not made from its current text",
                "`workbench versions import` saves it as a version; --force overwrites it",
            )
        overwritten = versions.keep_text(version.kind, before)
    if before != version.text:
        files.save(version.kind, name, version.text, before=before)
    if name == version.name:
        versions.note_file(version.id)
    return WrittenFile(place=place, is_changed=before != version.text, overwritten=overwritten)


def _file_name(files: HomeFiles, versions: VersionStore, version: Version) -> str:
    """Return the name of a version's file: that of the version, with a number if another file would be overwritten.

    Earlier versions of the workbench allowed names that differ only in case, and invisible characters.
    """
    name, names = version.name, files.names(version.kind)
    lines = versions.lines(version.kind)
    alike = [line.head.name for line in lines if name_key(line.head.name) == name_key(name)]
    is_first = name == min(alike, key=lambda other: (other not in names, other), default=name)
    if hidden_character(name) is None and (is_first or name in names):
        return name
    return f"{shown_title(name)[:80]}-{hash_of(name)[:8]}"
