"""`workbench versions export` and `import`: write versions to files and read them back."""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import typer

from workbench.app.services import Services
from workbench.app.version_content import fingerprint_of
from workbench.app.version_files import VersionFileState, WrittenFile, find_version, take_file, write_file
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import shown, write_json_line
from workbench.errors import BadInput
from workbench.records.versions import FileState, Version, VersionKind, parse_reference
from workbench.settings import read_settings


def version_json(version: Version) -> JsonObject:
    """The version without its text."""
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
    """The version as one line: number, hash, date, author, tags, first line of the message."""
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
"""Exit code where a file could not be used, though others were."""

_STATES: Final[Mapping[FileState, str]] = {
    FileState.SAME: "is v{0} already",
    FileState.TAKEN: "is v{0} now",
    FileState.BEHIND: "has not changed; the newest version is v{0}",
    FileState.DIVERGED: "was changed, and so was v{0}",
}


def export_versions(
    references: Annotated[
        list[str] | None,
        typer.Argument(metavar="[VERSION]…", help="Which; the newest of all names where none is named."),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that were changed meanwhile, and keep their text."),
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Write versions to their files, byte for byte. Exit 2 where a file was changed meanwhile."""
    from workbench.wiring import open_services

    told: list[JsonObject] = []
    is_refused = False
    with open_services(read_settings()) as services:
        for version in _versions(services, references or ()):
            try:
                done = write_file(services.files, services.versions, version, is_forced=force)
            except BadInput as error:
                is_refused = True
                print(f"workbench: {error}", file=sys.stderr)
                continue
            told.append(_written_json(version, done))
            _tell_written(version, done, is_quiet=json_output)
    if json_output:
        write_json_line({"files": told})
    if is_refused:
        raise typer.Exit(REFUSED)


def import_files(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]…", help="NAME or KIND:NAME; every file where none is named."),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Take files as the newest versions of their names, also where those were changed meanwhile."""
    from workbench.wiring import open_services

    told: list[JsonObject] = []
    is_refused = False
    with open_services(read_settings()) as services:
        for kind, name in _files(services, names or ()):
            try:
                seen = take_file(services.files, services.versions, kind, name, is_deliberate=True)
            except BadInput as error:
                is_refused = True
                print(f"workbench: {error}", file=sys.stderr)
                continue
            if seen:
                told.append(_seen_json(seen))
                if not json_output:
                    print(f"{seen.place} {_STATES[seen.state].format(seen.head.number)}")
    if json_output:
        write_json_line({"files": told})
    if is_refused:
        raise typer.Exit(REFUSED)


def _versions(services: Services, references: Sequence[str]) -> Sequence[Version]:
    if references:
        return [find_version(services.versions, reference) for reference in references]
    return [line.head for line in services.versions.lines()]


def _files(services: Services, names: Sequence[str]) -> Sequence[tuple[VersionKind, str]]:
    there = [(kind, name) for kind in VersionKind for name in services.files.names(kind)]
    if not names:
        return there
    found: list[tuple[VersionKind, str]] = []
    for text in names:
        asked = parse_reference(text)
        of_name = [one for one in there if one[1] == asked.name and asked.kind in (None, one[0])]
        if not of_name:
            raise BadInput(f"file of {text!r}", "there is none", "`workbench versions import` takes all")
        found.extend(of_name)
    return found


def _tell_written(version: Version, done: WrittenFile, *, is_quiet: bool) -> None:
    if done.overwritten:
        kept = f"{version.kind}:{version.name}@{done.overwritten.hash[:12]}"
        print(f"{done.place} had been changed meanwhile; its text is kept as {kept}", file=sys.stderr)
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


def _seen_json(seen: VersionFileState) -> JsonObject:
    return {
        "file": seen.place,
        "kind": seen.head.kind.value,
        "name": seen.head.name,
        "number": seen.head.number,
        "state": seen.state.value,
    }
