"""`workbench db`: back up, restore, check and compact the database."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.cli.terminal.json_option import JsonOption
from workbench.settings import read_settings


def backup(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="File to write", show_default="a file in backups/ next to the database"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Back up the database, also while it is in use."""
    from workbench.store.backup.backup import back_up

    target = back_up(read_settings().database_url, file)
    size = target.stat().st_size
    print(json.dumps({"file": str(target), "size_bytes": size}) if as_json else f"{target}, {_size(size)}")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Backup to restore")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing database; it is moved to a file next to it")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Restore a backup as the database."""
    from workbench.store.backup.backup import restore as restore_backup

    restored = restore_backup(read_settings().database_url, file, is_forced=force)
    if as_json:
        document = {"file": str(restored.file), "kept": str(restored.previous) if restored.previous else None}
        print(json.dumps({**document, "revision": restored.revision}))
        return
    print(f"{restored.file} restored from the backup, revision {restored.revision}")
    if restored.previous:
        print(f"the previous database was moved to {restored.previous}")


def check(as_json: JsonOption = False) -> None:
    """Check the database for damage.

    Exit code 1 if there is a problem.
    """
    from workbench.store.backup.backup import check as check_database

    report = check_database(read_settings().database_url)
    if as_json:
        print(json.dumps(asdict(report)))
    else:
        print(f"database  {report.database}")
        is_current = report.revision == report.newest_revision
        state = "current" if is_current else f"newest is {report.newest_revision}"
        print(f"revision  {report.revision or 'none'} ({state})")
        print(f"size      {_size(report.size_bytes)}, {_size(report.unused_bytes)} of it unused")
        for name, count in report.row_counts.items():
            print(f"rows      {name} {count}")
        for problem in report.problems:
            print(f"BAD       {problem}")
        print("The database is damaged: restore a backup." if report.problems else "No problems found.")
    if report.problems:
        raise typer.Exit(1)


def vacuum(as_json: JsonOption = False) -> None:
    """Compact the database: return unused space to the disk."""
    from workbench.store.backup.backup import vacuum as compact

    before, after = compact(read_settings().database_url)
    if as_json:
        print(json.dumps({"before_bytes": before, "after_bytes": after}))
    else:
        print(f"{_size(before)} before, {_size(after)} now")


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:.1f} MiB" if size_bytes >= 2**20 else f"{size_bytes / 2**10:.1f} KiB"


GROUP: Final = {
    "backup": backup,
    "restore": restore,
    "check": check,
    "vacuum": vacuum,
}
"""The commands of `workbench db`."""
