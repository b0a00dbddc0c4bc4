"""`workbench versions export` and `import`: write versions to files and read them back."""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import typer

from workbench.app.services import Services
from workbench.app.version_content import fingerprint_of
from workbench.app.version_files import VersionFileState, WrittenFile, find_version, take_file, write_file
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.records.versions import FileState, Version, VersionKind, parse_reference
from workbench.settings import read_settings


def version_json(version: Version) -> JsonObject:
    """Return the version as JSON, without its text."""
    return {
        "id": version.id,
        "kind": version.kind.value,
        "name": version.name,
        "number": version.number,
        "tags": list(version.tags),
        "message": version.message,
        "author": version.author,
        "created_at": version.created_at.isoformat(),
        "parent": version.parent_id,
        "text_hash": version.text_hash,
        "fingerprint": fingerprint_of(version.kind, version.text, name=version.name),
        "is_shared": version.is_shared,
    }


def version_line(version: Version) -> str:
    """Return the version as one line: number, hash, date, author, tags, first line of the message."""
    tags = f"[{', '.join(version.tags)}]" if version.tags else ""
    first_line = version.message.partition("\n")[0]
    parts = (
        f"v{version.number}",
        version.text_hash[:8],
        version.created_at.strftime("%Y-%m-%d %H:%M"),
        version.author,
        tags,
        first_line,
    )
    return shown("  ".join(part for part in parts if part))


REFUSED: Final = 2
"""Exit code if a file was refused. The other files are written or imported all the same."""

_STATES: Final[Mapping[FileState, str]] = {
    FileState.SAME: "is already v{0}",
    FileState.TAKEN: "is now v{0}",
    FileState.BEHIND: "has not changed; the newest version is v{0}",
    FileState.DIVERGED: "has changed, and so has v{0}",
}


def export_versions(
    references: Annotated[
        list[str] | None,
        typer.Argument(metavar="VERSION", help="Versions to export; if omitted, the newest of each name"),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that were changed since; their text is stored"),
    ] = False,
    json_output: JsonOption = False,
) -> None:
    """Export versions to their files, byte for byte.

    Exit code 2 if a file was changed since its version was stored.
    """
    from workbench.wiring import open_services

    written: list[JsonObject] = []
    is_refused = False
    with open_services(read_settings()) as services:
        for version in _versions(services, references or ()):
            try:
                done = write_file(services.files, services.versions, version, is_forced=force)
            except BadInput as error:
                is_refused = True
                print(f"workbench: {error}", file=sys.stderr)
                continue
            written.append(_written_json(version, done))
            _report_written(version, done, is_quiet=json_output)
    if json_output:
        write_json_line({"files": written})
    if is_refused:
        raise typer.Exit(REFUSED)


def import_files(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="NAME or KIND:NAME; if omitted, all files"),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Import files as the newest versions of their names.

    A file is imported even if its newest version has changed too.
    """
    from workbench.wiring import open_services

    imported: list[JsonObject] = []
    is_refused = False
    with open_services(read_settings()) as services:
        for kind, name in _files(services, names or ()):
            try:
                imported_file = take_file(services.files, services.versions, kind, name, is_deliberate=True)
            except BadInput as error:
                is_refused = True
                print(f"workbench: {error}", file=sys.stderr)
                continue
            if imported_file:
                imported.append(_imported_json(imported_file))
                if not json_output:
                    number = imported_file.head.number
                    print(f"{imported_file.place} {_STATES[imported_file.state].format(number)}")
    if json_output:
        write_json_line({"files": imported})
    if is_refused:
        raise typer.Exit(REFUSED)


def _versions(services: Services, references: Sequence[str]) -> Sequence[Version]:
    if references:
        return [find_version(services.versions, reference) for reference in references]
    return [line.head for line in services.versions.lines()]


def _files(services: Services, names: Sequence[str]) -> Sequence[tuple[VersionKind, str]]:
    existing = [(kind, name) for kind in VersionKind for name in services.files.names(kind)]
    if not names:
        return existing
    found: list[tuple[VersionKind, str]] = []
    for text in names:
        reference = parse_reference(text)
        of_name = [
            (kind, name)
            for kind, name in existing
            if name == reference.name and reference.kind in (None, kind)
        ]
        if not of_name:
            raise BadInput(f"name {text!r}", "there is no such file", "omit the name to import all files")
        found.extend(of_name)
    return found


def _report_written(version: Version, done: WrittenFile, *, is_quiet: bool) -> None:
    if done.overwritten:
        reference = f"{version.kind}:{version.name}@{done.overwritten.hash[:12]}"
        print(f"{done.place} was changed since; its text is stored as {reference}", file=sys.stderr)
    if not is_quiet:
        state = FileState.TAKEN if done.is_changed else FileState.SAME
        print(f"{done.place} {_STATES[state].format(version.number)}")


def _written_json(version: Version, done: WrittenFile) -> JsonObject:
    return {
        "file": done.place,
        "kind": version.kind.value,
        "name": version.name,
        "number": version.number,
        "is_changed": done.is_changed,
        "overwritten": done.overwritten.hash if done.overwritten else None,
    }


def _imported_json(imported_file: VersionFileState) -> JsonObject:
    return {
        "file": imported_file.place,
        "kind": imported_file.head.kind.value,
        "name": imported_file.head.name,
        "number": imported_file.head.number,
        "state": imported_file.state.value,
    }
