"""Put the commands of `workbench versions` together."""

import sys
from typing import Annotated, Final

import typer

from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.visible import shown
from workbench.cli.versions import names
from workbench.cli.versions.files import export_versions, import_files, version_json, version_line
from workbench.errors import BadInput
from workbench.records.versions import VersionKind, hash_of
from workbench.settings import read_settings

REFERENCE = "NAME, NAME@3, NAME@production, or KIND:NAME@HASH"
"""Help text of an argument that names a version."""

Reference = Annotated[str, typer.Argument(metavar="VERSION", help=REFERENCE)]
Message = Annotated[str, typer.Option("--message", help="Message of the new version")]


def show_lines(
    kind: Annotated[VersionKind | None, typer.Option(help="Only this kind")] = None,
    json_output: JsonOption = False,
) -> None:
    """List all names with their newest version."""
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        lines = own.versions.lines(kind)
    if json_output:
        found = [{**version_json(line.head), "version_count": line.version_count} for line in lines]
        write_json_line({"versions": found})
        return
    width = max((len(f"{line.head.kind}:{line.head.name}") for line in lines), default=0)
    for line in lines:
        print(f"{shown(f'{line.head.kind}:{line.head.name}'):<{width}}  {version_line(line.head)}")


def history(
    name: Annotated[str, typer.Argument(metavar="NAME", help="NAME, or KIND:NAME")],
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of versions")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Number of newest versions to skip")] = 0,
    json_output: JsonOption = False,
) -> None:
    """List all versions of a name, the newest first."""
    from workbench.app.version_files import find_version
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        head = find_version(own.versions, name)
        found = own.versions.history(head.kind, head.name, limit=limit, offset=offset)
    if json_output:
        write_json_line({"versions": [version_json(version) for version in found]})
        return
    for version in found:
        print(version_line(version))


def show(reference: Reference, json_output: JsonOption = False) -> None:
    """Print the text of a version, byte for byte."""
    from workbench.app.version_files import find_text
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        found = find_text(own.versions, reference)
    if not json_output:
        sys.stdout.buffer.write(found.text.encode())
        sys.stdout.buffer.flush()
        return
    unversioned = {"kind": found.kind.value, "text_hash": hash_of(found.text)}
    fields = version_json(found.version) if found.version else unversioned
    write_json_line({**fields, "text": found.text})


def diff(
    references: Annotated[
        list[str],
        typer.Argument(
            metavar="VERSION",
            help=f"One or two versions: {REFERENCE}; one version is compared with the version before it",
        ),
    ],
    json_output: JsonOption = False,
) -> None:
    """Show the changes between two versions as a unified diff.

    Tools are compared as canonical JSON.
    """
    from workbench.app.version_content import diff_contents, fingerprint_of
    from workbench.app.version_files import find_before, find_text
    from workbench.wiring import open_own_data

    if len(references) > 2:
        raise BadInput("versions diff", f"{len(references)} versions given", "give one or two")
    with open_own_data(read_settings()) as own:
        after = find_text(own.versions, references[-1])
        before = find_text(own.versions, references[0]) if len(references) > 1 else None
        before = before or find_before(own.versions, after)
    if before.kind is not after.kind:
        raise BadInput("versions diff", f"{before.label} and {after.label} are of different kinds")
    text = diff_contents(after.kind, before.text, after.text, (before.label, after.label))
    if not json_output:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    fingerprints = [fingerprint_of(side.kind, side.text, name=side.name) for side in (before, after)]
    write_json_line(
        {
            "before": before.label,
            "after": after.label,
            "diff": text,
            "is_same_to_a_model": fingerprints[0] == fingerprints[1],
        }
    )


def restore(reference: Reference, message: Message = "", json_output: JsonOption = False) -> None:
    """Create a new version with the text of an old one."""
    from workbench.app.version_files import find_version
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        old = find_version(services.versions, reference)
        new = services.versions.restore(old.id, message=message)
    if json_output:
        write_json_line(version_json(new))
    else:
        print(f"{new.kind}:{new.name}  {version_line(new)}")


def tag(
    reference: Reference,
    name: Annotated[str, typer.Argument(metavar="TAG", help="Tag, such as production or candidate")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove the tag instead")] = False,
    json_output: JsonOption = False,
) -> None:
    """Tag a version.

    The tag is removed from the other versions of the same name.
    """
    from workbench.app.version_files import find_version
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        version = find_version(services.versions, reference)
        if not remove:
            version = services.versions.tag(version.id, name)
        elif not services.versions.untag(version.kind, version.name, name):
            raise BadInput(f"tag {name!r}", f"{version.kind}:{version.name} has no such tag")
        version = services.versions.version(version.id) or version
    if json_output:
        write_json_line(version_json(version))
    else:
        print(f"{version.kind}:{version.name}  {version_line(version)}")


GROUP: Final = {
    "list": show_lines,
    "history": history,
    "show": show,
    "diff": diff,
    "restore": restore,
    "tag": tag,
    "rename": names.rename,
    "duplicate": names.duplicate,
    "delete": names.delete,
    "deleted": names.show_deleted,
    "undelete": names.undelete,
    "export": export_versions,
    "import": import_files,
}
"""The commands of `workbench versions`."""
