"""`workbench import`: load rows from files as sessions."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.cli.terminal.paint import shown, with_progress, write_json_line
from workbench.library.datasets.row_import import ImportOptions, RowImported, import_rows
from workbench.records.owner import Owner, UserRole
from workbench.settings import read_settings
from workbench.trajectory.formats.known import FORMATS

HAS_PROBLEMS: Final = 1
"""Exit code where a row became no session."""


def import_(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…", help="Rows: JSONL, gzip, JSON array, Parquet; - reads them."),
    ],
    tag: Annotated[list[str] | None, typer.Option(help="Each session gets it; repeatable.")] = None,
    queue: Annotated[bool, typer.Option("--queue", help="Put them into the labelling queue.")] = False,
    format_: Annotated[str, typer.Option("--format", help=f"auto, or one of {', '.join(FORMATS)}.")] = "auto",
    owner: Annotated[str, typer.Option(help="Whose sessions they become; empty for your own.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Import also rows that are there already.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what became of each row as JSON.")] = False,
) -> None:
    """Make a session of each row, and say which rows are none; rows that are there already are left."""
    from workbench.wiring import open_services

    tags = tuple(dict.fromkeys(one.strip() for one in tag or () if one.strip()))
    counts: Counter[str] = Counter()
    rows: list[JsonValue] = []
    with open_services(read_settings()) as services:
        own = services.of(Owner(key=owner, role=UserRole.LOCAL)) if owner else services
        for file in files:
            options = ImportOptions(file=Path(file).name, tags=tags, is_queued=queue, allows_repeats=again)
            for one in with_progress(_imported(own, file, format_, options), "rows"):
                counts["imported" if one.is_new else "known" if one.session_id else "failed"] += 1
                rows += [_row_json(file, one)] if as_json else []
                _tell(file, one)
    made, known, failed = counts["imported"], counts["known"], counts["failed"]
    if as_json:
        write_json_line({"imported": made, "known": known, "failed": failed, "rows": rows})
    queued = ", in the labelling queue" if queue and made else ""
    print(f"{made:,} sessions made{queued}, {known:,} rows were there already", end="", file=sys.stderr)
    print(f", {failed:,} could not be read", file=sys.stderr)
    if failed:
        raise typer.Exit(HAS_PROBLEMS)


def _imported(services: Services, file: str, read_as: str, options: ImportOptions) -> Iterator[RowImported]:
    rows = services.datasets.read(file, read_as)
    return import_rows(services.corpus, rows, services.setup_for(), options)


def _tell(file: str, one: RowImported) -> None:
    if one.problem:
        where = f" ({one.pointer})" if one.pointer else ""
        print(shown(f"{file}:{one.number}: {one.problem}{where}"), file=sys.stderr)
    elif not one.is_new:
        print(f"{file}:{one.number}: it is session {one.session_id} already", file=sys.stderr)


def _row_json(file: str, one: RowImported) -> JsonObject:
    return {
        "file": file,
        "row": one.number,
        "session": one.session_id,
        "new": one.is_new,
        "problem": one.problem or None,
        "pointer": one.pointer or None,
    }
