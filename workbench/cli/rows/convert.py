"""`workbench convert`: a file of training rows in another format."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.cli.rows.row_engine import ADDRESS_HELP, ENGINE_HELP, RowEngine, check_address
from workbench.cli.rows.row_options import (
    Arguments,
    ArgumentsOption,
    FrameOption,
    GroupOption,
    ResultRole,
    ResultRoleOption,
    SeedOption,
    SplitOption,
    check_writing,
    split_of,
)
from workbench.cli.terminal.json_lines import write_json_line
from workbench.cli.terminal.progress import with_progress
from workbench.errors import BadInput
from workbench.trajectory.formats.known import FORMATS, WRITTEN
from workbench.trajectory.sets.split import Split
from workbench.trajectory.writing.holding import SOURCE, Terms

if TYPE_CHECKING:
    from workbench.library.datasets.conversion import Conversion, ShardRow

LEFT_OUT: Final = 1
"""Exit code where rows were left out."""


def convert(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Rows: JSONL, gzip, JSON array, Parquet; or a folder.")
    ],
    to: Annotated[str, typer.Option("--to", help=f"One of {', '.join(WRITTEN)}.")],
    out: Annotated[
        str,
        typer.Option(help="NAME.jsonl, .jsonl.gz, .parquet or -; with --split, or of a folder, a folder."),
    ],
    from_: Annotated[str, typer.Option("--from", help=f"auto, or one of {', '.join(FORMATS)}.")] = "auto",
    strict: Annotated[
        bool, typer.Option("--strict", help="Leave out rows that would lose something.")
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="End at the first row that is left out.")] = False,
    split: SplitOption = "",
    seed: SeedOption = 0,
    group: GroupOption = "",
    result_role: ResultRoleOption = ResultRole.TOOL,
    frame: FrameOption = "hermes-array",
    arguments: ArgumentsOption = Arguments.AUTO,
    label: Annotated[bool | None, typer.Option("--label/--no-label", help="For kto: good or bad.")] = None,
    source: Annotated[str, typer.Option(help="Column `source` of rows that have none.")] = SOURCE,
    engine: Annotated[RowEngine, typer.Option(help=ENGINE_HELP)] = RowEngine.PROCESSES,
    address: Annotated[str, typer.Option(help=ADDRESS_HELP)] = "",
    report: Annotated[str, typer.Option(metavar="FILE", help="Every change and problem as JSON Lines.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Write rows in another format; say what each loses, and which are left out."""
    from workbench.cli.rows.convert_report import Report, Summary
    from workbench.library.datasets.conversion import Conversion

    _check(file, out, frame, as_json=as_json)
    check_address(engine, address)
    terms = Terms(result_role=result_role.value, frame=frame, label=label, source=source)
    conversion = Conversion(
        read_as=from_, write_as=to, terms=terms, arguments=arguments.value, is_strict=strict
    )
    dealt = split_of(split, seed, group)
    summary = Summary()
    with Report(report) as told:
        for shard, done in with_progress(_done(file, out, conversion, dealt, engine, address), "rows"):
            summary.add(done)
            told.add(shard, done)
            if stop and not done.is_written:
                raise BadInput(f"{shard}:{done.number}", done.problems[0].message, "nothing was written")
    if as_json:
        write_json_line(summary.to_json())
    for line in summary.lines():
        print(line, file=sys.stderr)
    if summary.written < summary.read:
        raise typer.Exit(LEFT_OUT)


def _done(
    file: str, out: str, conversion: "Conversion", dealt: Split | None, engine: RowEngine, address: str
) -> "Iterator[ShardRow]":
    """What becomes of each row, whoever converts."""
    from workbench.library.datasets.conversion import (
        ShardRow,
        convert_file,
        convert_shards,
        settled,
        shard_pairs,
    )

    if not Path(file).expanduser().is_dir():
        if engine is RowEngine.RAY:
            raise BadInput("--engine ray", "it converts a folder of shards", "name a folder")
        return (ShardRow(file, done) for done in convert_file(file, out, conversion, dealt))
    if dealt:
        raise BadInput("--split", "a folder's shards stay what they are", "split one file")
    pairs = shard_pairs(file, out)
    if engine is RowEngine.RAY:
        from workbench.library.datasets.chunks import OnRay

        return OnRay(address=address).convert(pairs, settled(conversion))
    return convert_shards(pairs, settled(conversion))


def _check(file: str, out: str, frame: str, *, as_json: bool) -> None:
    check_writing(out, frame, as_json=as_json)
    if file != "-" and out != "-" and Path(file).expanduser().resolve() == Path(out).expanduser().resolve():
        raise BadInput(f"--out {out}", "it is the file that is read", "name another")
