"""`workbench export`: sessions as training rows."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from workbench.errors import BadInput
from workbench.settings import read_settings


class RowFormat(StrEnum):
    """Row formats that can be written."""

    SHAREGPT = "sharegpt"
    GENERATIONS = "generations"


def export(
    out: Annotated[str, typer.Option(help="File to write; - for standard output.")],
    row_format: Annotated[RowFormat, typer.Option("--format", help="Row format.")] = RowFormat.SHAREGPT,
    session: Annotated[list[str] | None, typer.Option(help="Only this session; repeatable.")] = None,
) -> None:
    """Write sessions as rows, one a line; say which stay out, and why."""
    from workbench.desk.export import export_sharegpt
    from workbench.desk.recording import export_recording
    from workbench.wiring import open_services

    write = export_recording if row_format is RowFormat.GENERATIONS else export_sharegpt
    with open_services(read_settings()) as services:
        done = write(services, session)
    _write(out, done.text)
    for line in done.left_out:
        print(f"left out: {line}", file=sys.stderr)
    print(f"{done.row_count} rows written, {len(done.left_out)} sessions left out", file=sys.stderr)


def _write(out: str, text: str) -> None:
    if out == "-":
        sys.stdout.write(text)
        return
    try:
        Path(out).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadInput(f"--out {out}", str(error.strerror or error)) from error
