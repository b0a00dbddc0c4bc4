"""Rename, duplicate and delete contracts, toolsets, suites and presets, and find a version of one of them."""

from __future__ import annotations

from workbench.app.services import Services
from workbench.app.version_content import with_name
from workbench.errors import BadInput
from workbench.records.owner import LOCAL_OWNER
from workbench.records.versions import (
    DeletedName,
    NewVersion,
    Version,
    VersionKind,
    check_name,
)

WORDS = {
    VersionKind.CONTRACT: "contract",
    VersionKind.TOOLS: "toolset",
    VersionKind.SUITE: "suite",
    VersionKind.PRESET: "preset",
}
"""What a name of each kind is called."""


def version_of_name(services: Services, kind: VersionKind, name: str, version_id: str) -> Version:
    """Return a version by its id if it is a version of this name.

    A list of versions in the browser can be that of the text that was open before.

    Raises:
        BadInput: There is no such version of this name.
    """
    version = services.versions.version(version_id)
    if version is None or version.kind is not kind:
        raise BadInput("version", "there is no such version", "choose one from the list")
    if version.name != name:
        where = f"{WORDS[kind]} {name!r}"
        raise BadInput(where, f"the version belongs to {version.name!r}", "choose one from the list")
    return version


def duplicate_name(services: Services, kind: VersionKind, name: str, new_name: str) -> Version:
    """Save the newest version of a name as the first version of a new name.

    Raises:
        BadInput: The name does not exist, or the new name is not valid or taken.
        StoreError: The version could not be stored.
    """
    _check_free(services, kind, new_name)
    newest = _newest(services, kind, name)
    return services.versions.save(
        NewVersion(
            kind=kind,
            name=new_name,
            text=with_name(kind, newest.text, new_name),
            message=f"copied from {name} v{newest.number}",
            parent_id=newest.id,
        )
    )


def rename_name(services: Services, kind: VersionKind, name: str, new_name: str) -> Version:
    """Give a name's versions a new name, and return the newest version.

    Ids, numbers and tags of the versions stay the same. If the newest text names itself, a version with the new name
    in its text is added.

    Raises:
        BadInput: The new name is not valid or taken, or a file defines the name.
        StoreError: The owner has no versions of the name, or the change could not be stored.
    """
    _check_own(services, kind, name, "rename")
    _check_free(services, kind, new_name)
    services.version_names.rename(kind, name, new_name)
    return _with_own_name(services, kind, new_name, f"renamed from {name}")


def _with_own_name(services: Services, kind: VersionKind, new_name: str, message: str) -> Version:
    """Add a version with the right name in its text, unless the newest text has it. Return the newest version."""
    newest = _newest(services, kind, new_name)
    text = with_name(kind, newest.text, new_name)
    if text == newest.text:
        return newest
    return services.versions.save(
        NewVersion(kind=kind, name=new_name, text=text, message=message, parent_id=newest.id)
    )


def delete_name(services: Services, kind: VersionKind, name: str) -> DeletedName:
    """Delete a name with all of the owner's versions. It can be restored for 30 days.

    Raises:
        BadInput: A file defines the name.
        StoreError: The owner has no versions of the name, or the change could not be stored.
    """
    _check_own(services, kind, name, "delete")
    return services.version_names.delete_name(kind, name)


def restore_name(services: Services, deleted: DeletedName, *, new_name: str = "") -> Version:
    """Restore a deleted name with all its versions, and return the newest version.

    Args:
        new_name: The name to restore it under. Empty takes its old name.

    Raises:
        BadInput: The name is not valid or taken.
        StoreError: The deletion can no longer be undone.
    """
    name = new_name or deleted.name
    if new_name:
        _check_free(services, deleted.kind, name)
    services.version_names.restore_name(deleted.id, new_name=name)
    return _with_own_name(services, deleted.kind, name, f"renamed from {deleted.name}")


def find_deleted(services: Services, kind: VersionKind | None, name: str) -> DeletedName:
    """Return the most recent deletion of a name that can be undone.

    Raises:
        BadInput: There is none.
    """
    found = [deleted for deleted in services.version_names.deleted_names(kind) if deleted.name == name]
    if not found:
        raise BadInput(
            f"name {name!r}", "it is not among the deleted names", "`workbench versions deleted` lists them"
        )
    return found[0]


def _newest(services: Services, kind: VersionKind, name: str) -> Version:
    found = services.versions.find(kind, name)
    if found is None:
        raise BadInput(f"{WORDS[kind]} {name!r}", "it has no versions", "save it first")
    return found


def _check_own(services: Services, kind: VersionKind, name: str, action: str) -> None:
    """Refuse to change a name that a file defines, because the next start would read the file again.

    With accounts, a user's own versions are on top of those of the shared library, which stay.
    """
    found = services.versions.find(kind, name)
    is_shared = found is not None and found.is_shared
    if services.files.find(kind, name) is not None and (is_shared or services.owner == LOCAL_OWNER):
        place = services.files.describe(kind, name)
        raise BadInput(
            f"{WORDS[kind]} {name!r}", f"the file {place} defines it", f"{action} the file instead"
        )
    if is_shared and services.owner.key is not None:
        raise BadInput(
            f"{WORDS[kind]} {name!r}", "it belongs to the shared library", "duplicate it, and change the copy"
        )


def _check_free(services: Services, kind: VersionKind, name: str) -> None:
    check_name(name)
    if services.files.find(kind, name) is not None or services.versions.find(kind, name) is not None:
        raise BadInput(f"{WORDS[kind]} {name!r}", "this name is taken", "choose another name")
