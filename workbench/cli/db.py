"""`workbench db`: back up, restore, check and compact the database."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from workbench.settings import read_settings

_Json = Annotated[bool, typer.Option("--json", help="Print only JSON.")]


def build_app() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(no_args_is_help=True, help="Back the database up, restore it, check it, pack it.")
    app.command()(backup)
    app.command()(restore)
    app.command()(check)
    app.command()(vacuum)
    return app


def backup(
    file: Annotated[
        Path | None, typer.Argument(help="File to write; `backups/` beside the database if left out.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Copy the database while it is in use."""
    from workbench.store.backup import back_up

    target = back_up(read_settings().database_url, file)
    size = target.stat().st_size
    print(json.dumps({"file": str(target), "size_bytes": size}) if as_json else f"{target}, {_shown(size)}")


def restore(
    file: Annotated[Path, typer.Argument(help="The backup.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace a database that is there; it is kept beside.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Put a backup in the database's place."""
    from workbench.store.backup import restore as put_back

    done = put_back(read_settings().database_url, file, is_forced=force)
    if as_json:
        document = {"file": str(done.file), "kept": str(done.previous) if done.previous else None}
        print(json.dumps({**document, "revision": done.revision}))
        return
    print(f"{done.file} holds the backup, revision {done.revision}")
    if done.previous:
        print(f"what stood there is kept in {done.previous}")


def check(as_json: _Json = False) -> None:
    """Look whether the database is sound; exit 1 where it is not."""
    from workbench.store.backup import check as look

    found = look(read_settings().database_url)
    if as_json:
        print(json.dumps(asdict(found)))
    else:
        print(f"database  {found.database}")
        state = "current" if found.revision == found.newest_revision else f"newest is {found.newest_revision}"
        print(f"revision  {found.revision or 'none'} ({state})")
        print(f"size      {_shown(found.size_bytes)}, of which unused {_shown(found.unused_bytes)}")
        for name, count in found.row_counts.items():
            print(f"rows      {name} {count}")
        for problem in found.problems:
            print(f"BAD       {problem}")
        print("damaged: restore a backup" if found.problems else "sound")
    if found.problems:
        raise typer.Exit(1)


def vacuum(as_json: _Json = False) -> None:
    """Give unused room back to the disk."""
    from workbench.store.backup import vacuum as pack

    before, after = pack(read_settings().database_url)
    if as_json:
        print(json.dumps({"before_bytes": before, "after_bytes": after}))
    else:
        print(f"{_shown(before)} before, {_shown(after)} now")


def _shown(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:.1f} MiB" if size_bytes >= 2**20 else f"{size_bytes / 2**10:.1f} KiB"
