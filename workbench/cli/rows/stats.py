"""`workbench stats`: what files of training rows are made of, and what of a row is trained."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.rows.mask_report import mask_json, mask_lines
from workbench.cli.rows.stats_report import stats_lines
from workbench.cli.terminal.json_lines import write_json_line
from workbench.cli.terminal.paint import terminal_paint
from workbench.cli.terminal.progress import with_progress
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.settings import read_settings
from workbench.trajectory.compress.compress import quarter_tokens
from workbench.trajectory.formats.known import FORMATS, format_named
from workbench.trajectory.mask import Tokenizer, mask_tokens
from workbench.trajectory.sets.stats import RowStats

if TYPE_CHECKING:
    from workbench.rollout.ports import Engine

QUARTER = "quarter"
"""Counts four characters as a token."""


def stats(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…|-", help="Rows: JSONL, gzip, JSON array, Parquet.")
    ],
    format_: Annotated[str, typer.Option("--format", help=f"auto, or one of {', '.join(FORMATS)}.")] = "auto",
    tokenizer: Annotated[
        str, typer.Option(help="quarter (of the characters), embedded, FILE.gguf or another model.")
    ] = QUARTER,
    mask: Annotated[
        int, typer.Option(metavar="ROW", min=0, help="Show this row of the file, trained text marked.")
    ] = 0,
    family: Annotated[
        str, typer.Option(help=f"With --mask: whose template writes it; {', '.join(FAMILIES)}.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what files of rows are made of; with --mask, which text of one row a trainer's loss counts."""
    if format_ != "auto":
        format_named(format_)
    if family and not mask:
        raise BadInput("--family", "it says how --mask writes the row", "name a row: --mask 1")
    with _engine(tokenizer) as engine:
        if mask:
            _show_mask(files, mask, format_, family, engine, as_json=as_json)
        else:
            _show_stats(files, format_, engine, as_json=as_json)


@contextmanager
def _engine(tokenizer: str) -> "Generator[Engine | None]":
    """The model that makes tokens; None for the rule of thumb."""
    if tokenizer == QUARTER:
        yield None
        return
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        engine = services.models.engine(tokenizer)
        if not engine.capabilities.has_tokenizer:
            raise BadInput(f"--tokenizer {tokenizer}", "it cannot say what its tokens are", "use a GGUF file")
        yield engine


def _tokenizer(engine: "Engine") -> Tokenizer:
    if isinstance(engine, Tokenizer):
        return engine
    raise BadInput("--tokenizer", f"{engine.name} does not say where its tokens stand", "use a GGUF file")


def _show_stats(files: list[str], read_as: str, engine: "Engine | None", *, as_json: bool) -> None:
    from workbench.library.datasets.compression import count_rows

    found = RowStats()
    count = engine.count_tokens if engine else quarter_tokens
    for _number in with_progress(count_rows(files, found, count, read_as=read_as), "rows"):
        pass
    if as_json:
        write_json_line(found.to_json())
        return
    for line in stats_lines(found, is_estimate=engine is None):
        print(line)


def _show_mask(
    files: list[str], number: int, read_as: str, family: str, engine: "Engine | None", *, as_json: bool
) -> None:
    from workbench.library.datasets.compression import find_row
    from workbench.trajectory.sets.stats import preview
    from workbench.trajectory.understand import understand

    if len(files) > 1:
        raise BadInput("--mask", "it shows a row of one file", "name one file")
    understood = understand(find_row(files[0], number, read_as=read_as))
    if understood.problems:
        raise BadInput(f"{files[0]}:{number}", understood.problems[0].message)
    masked = preview(understood.trajectory, family)
    tokens = mask_tokens(masked, _tokenizer(engine)) if engine else ()
    if as_json:
        write_json_line(mask_json(masked, tokens))
        return
    for line in mask_lines(masked, tokens, terminal_paint()):
        print(line)
    sys.stdout.flush()
