"""`workbench import`: import training rows as sessions."""

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.cli.rows.convert import ConvertReport, changes_json
from workbench.cli.rows.row_engine import FormatOption, RowSources
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, row_total, with_progress, write_json_line
from workbench.cli.terminal.visible import shown
from workbench.library.datasets.conversion import RowDone
from workbench.library.datasets.row_files import shards_of
from workbench.library.datasets.row_import import ImportOptions, RowImported, import_rows
from workbench.records.owner import Owner, UserRole
from workbench.settings import read_settings

HAS_PROBLEMS: Final = 1
"""Exit code if a row could not be imported."""


def import_(
    files: RowSources,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Tag for the new sessions; repeatable")
    ] = None,
    queue: Annotated[bool, typer.Option("--queue", help="Add the sessions to the labelling queue")] = False,
    format_: FormatOption = "auto",
    owner: Annotated[
        str, typer.Option(metavar="OWNER", help="Owner of the new sessions, such as account:ann")
    ] = "",
    again: Annotated[
        bool, typer.Option("--again", help="Also import rows that were imported before")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Import training rows as sessions.

    Rows that were imported before are skipped. Exit code 1 if a row cannot be read.
    """
    from workbench.wiring import open_services

    tags = tuple(dict.fromkeys(name.strip() for name in tag or () if name.strip()))
    counts: Counter[str] = Counter()
    changes: Counter[str] = Counter()
    rows: list[JsonValue] = []
    with open_services(read_settings()) as services, ConvertReport(listed_by="--json") as report:
        owned = services.of(Owner(key=owner, role=UserRole.LOCAL)) if owner else services
        for file in chain.from_iterable(map(shards_of, files)):
            options = ImportOptions(file=Path(file).name, tags=tags, is_queued=queue, allows_repeats=again)
            done = _imported(owned, file, format_, options)
            for row in with_progress(done, "rows", lambda file=file: row_total([file])):
                changes.update({change.name for change in row.changes})
                counts[_outcome(row)] += 1
                rows += [_row_json(file, row)] if as_json else []
                _report(file, row)
                report.add(file, RowDone(row.number, is_written=row.is_new, changes=row.changes))
    imported, known, repeated, failed = (counts[name] for name in ("imported", "known", "repeated", "failed"))
    if as_json:
        changed: JsonObject = {"changes": dict(sorted(changes.items()))} if changes else {}
        write_json_line(
            {
                "imported": imported,
                "known": known,
                "repeated": repeated,
                "failed": failed,
                **changed,
                "rows": rows,
            }
        )
    queued = " and added to the labelling queue" if queue and imported else ""
    same = f"{count_of(repeated, 'row')} the same as an earlier row, " if repeated else ""
    print(
        f"{count_of(imported, 'session')} imported{queued}, {count_of(known, 'row')} imported before, {same}"
        f"{count_of(failed, 'row')} unreadable",
        file=sys.stderr,
    )
    if changes:
        listed = ", ".join(f"{code} {count:,}" for code, count in sorted(changes.items()))
        print(f"changed: {listed}", file=sys.stderr)
    if failed:
        raise typer.Exit(HAS_PROBLEMS)


def _imported(services: Services, file: str, read_as: str, options: ImportOptions) -> Iterator[RowImported]:
    rows = services.datasets.read(file, read_as)
    return import_rows(services.corpus, rows, services.setup_for(), options)


def _outcome(row: RowImported) -> str:
    if row.is_new:
        return "imported"
    return "repeated" if row.same_as else "known" if row.session_id else "failed"


def _report(file: str, row: RowImported) -> None:
    if row.problem:
        where = f" ({row.pointer})" if row.pointer else ""
        print(shown(f"{file}:{row.number}: {row.problem}{where}"), file=sys.stderr)
    elif not row.is_new:
        where = f"the same as row {row.same_as} of this file," if row.same_as else "imported before as"
        print(f"{file}:{row.number}: {where} session {row.session_id}", file=sys.stderr)


def _row_json(file: str, row: RowImported) -> JsonObject:
    return {
        "file": file,
        "row": row.number,
        "session": row.session_id,
        "new": row.is_new,
        "same_as": row.same_as,
        "problem": row.problem or None,
        "pointer": row.pointer or None,
        "changes": changes_json(row.changes),
    }
