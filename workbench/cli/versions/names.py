"""`workbench versions rename`, `duplicate`, `delete`, `deleted` and `undelete`."""

from typing import Annotated

import typer

from workbench.app.version_files import find_version
from workbench.app.version_names import delete_name, duplicate_name, find_deleted, rename_name, restore_name
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.visible import shown
from workbench.cli.versions.files import version_json, version_line
from workbench.records.versions import Version, VersionKind, parse_reference
from workbench.settings import read_settings

Name = Annotated[str, typer.Argument(metavar="NAME", help="NAME, or KIND:NAME")]
NewName = Annotated[str, typer.Argument(metavar="NEW", help="The new name")]


def rename(name: Name, new_name: NewName, json_output: JsonOption = False) -> None:
    """Rename a text with all its versions.

    A name that a file defines cannot be renamed: rename the file instead.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        head = find_version(services.versions, name)
        renamed = rename_name(services, head.kind, head.name, new_name)
    _print(renamed, is_json=json_output)


def duplicate(name: Name, new_name: NewName, json_output: JsonOption = False) -> None:
    """Save the newest version of a name under a new name."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        head = find_version(services.versions, name)
        copied = duplicate_name(services, head.kind, head.name, new_name)
    _print(copied, is_json=json_output)


def delete(name: Name) -> None:
    """Delete a text with all its versions.

    It can be restored for 30 days. A name that a file defines cannot be deleted: delete the file instead.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        head = find_version(services.versions, name)
        deleted = delete_name(services, head.kind, head.name)
    reference = shown(f"{deleted.kind}:{deleted.name}")
    print(f"Deleted {reference}")
    print(f"To restore it within 30 days: workbench versions undelete {reference}")


def show_deleted(
    kind: Annotated[VersionKind | None, typer.Option(help="Only this kind")] = None,
    json_output: JsonOption = False,
) -> None:
    """List deleted names that can be restored.

    The last deleted comes first.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        found = services.version_names.deleted_names(kind)
    if json_output:
        names = [
            {
                "id": deleted.id,
                "kind": deleted.kind.value,
                "name": deleted.name,
                "deleted_at": deleted.deleted_at.isoformat(),
            }
            for deleted in found
        ]
        write_json_line({"deleted": [*names]})
        return
    for deleted in found:
        print(shown(f"{deleted.kind}:{deleted.name}  {deleted.deleted_at:%Y-%m-%d %H:%M}"))


def undelete(
    name: Name,
    new_name: Annotated[
        str,
        typer.Option("--as", metavar="NAME", help="Restore it under this name", show_default="its old name"),
    ] = "",
    json_output: JsonOption = False,
) -> None:
    """Restore a deleted text with all its versions."""
    from workbench.wiring import open_services

    parsed = parse_reference(name)
    with open_services(read_settings()) as services:
        deleted = find_deleted(services, parsed.kind, parsed.name)
        restored = restore_name(services, deleted, new_name=new_name)
    _print(restored, is_json=json_output)


def _print(version: Version, *, is_json: bool) -> None:
    if is_json:
        write_json_line(version_json(version))
    else:
        print(f"{shown(f'{version.kind}:{version.name}')}  {version_line(version)}")
