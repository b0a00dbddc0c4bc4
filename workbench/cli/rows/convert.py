"""`workbench convert`: convert a file of training rows to another format."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.cli.rows.row_engine import (
    ADDRESS_HELP,
    ENGINE_HELP,
    Arguments,
    ArgumentsOption,
    FrameOption,
    GroupOption,
    ResultRole,
    ResultRoleOption,
    RowEngine,
    SeedOption,
    SplitOption,
    check_address,
    check_writing,
    split_of,
)
from workbench.cli.terminal.paint import with_progress, write_json_line
from workbench.errors import BadInput
from workbench.library.datasets.conversion import RowDone
from workbench.library.datasets.row_writer import RowWriter, open_writer
from workbench.trajectory.formats.known import FORMATS, WRITTEN
from workbench.trajectory.sets.split import RowSplit
from workbench.trajectory.writing.row_draft import SOURCE, RowOptions

if TYPE_CHECKING:
    from workbench.library.datasets.conversion import Conversion, ShardRow


_MOST_LINES: Final = 20
"""Rows that are told on standard error; a report has all."""


@dataclass(slots=True)
class Summary:
    """All rows together."""

    read: int = 0
    written: int = 0
    splits: Counter[str] = field(default_factory=Counter[str])
    losses: Counter[str] = field(default_factory=Counter[str])
    """Rows by what they lost; those that were left out do not count."""
    additions: Counter[str] = field(default_factory=Counter[str])
    """Rows by what was added or rearranged."""
    problems: Counter[str] = field(default_factory=Counter[str])
    """Rows by why they were left out."""

    def add(self, done: RowDone) -> None:
        """Count one row."""
        self.read += 1
        self.problems.update({problem.code for problem in done.problems})
        if not done.is_written:
            return
        self.written += 1
        if done.split:
            self.splits[done.split] += 1
        self.losses.update({str(change.code) for change in done.changes if change.is_loss})
        self.additions.update({str(change.code) for change in done.changes if not change.is_loss})

    def to_json(self) -> JsonObject:
        """As `workbench convert --json` prints it."""
        return {
            "read": self.read,
            "written": self.written,
            "left_out": self.read - self.written,
            "splits": dict(self.splits),
            "losses": dict(sorted(self.losses.items())),
            "additions": dict(sorted(self.additions.items())),
            "problems": dict(sorted(self.problems.items())),
        }

    def lines(self) -> list[str]:
        """For a person."""
        lines = [f"{self.read:,} rows read, {self.written:,} written, {self.read - self.written:,} left out"]
        for name, counts in (
            ("in splits", self.splits),
            ("lost", self.losses),
            ("added", self.additions),
            ("left out for", self.problems),
        ):
            if counts:
                told = ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
                lines.append(f"{name}: {told}")
        return lines


class ConvertReport:
    """Tells of rows: the first ones on standard error, all in a file if one is wanted.

    Args:
        target: File for all of it, as JSON Lines; empty for none.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._stack = ExitStack()
        self._write: RowWriter | None = None
        self._told = 0

    def __enter__(self) -> "ConvertReport":
        if self._target:
            self._write = self._stack.enter_context(open_writer(self._target))
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.__exit__(*raised)  # pyright: ignore[reportArgumentType]  handed on as it came
        if self._told > _MOST_LINES:
            more = self._told - _MOST_LINES
            print(f"… and {more:,} more rows; --report FILE tells of all", file=sys.stderr)

    def add(self, source: str, done: RowDone) -> None:
        """Tell of one row of a file."""
        if self._write and (done.changes or done.problems):
            self._write(_record(source, done))
        line = _line(done)
        if line:
            self._told += 1
            if self._told <= _MOST_LINES:
                print(f"{source}:{done.number}: {line}", file=sys.stderr)


def _line(done: RowDone) -> str:
    """What a person should know of a row; empty where nothing was lost."""
    if done.problems:
        first = done.problems[0]
        where = "" if first.entry is None else f"entry {first.entry}: "
        more = f" (and {len(done.problems) - 1} more)" if len(done.problems) > 1 else ""
        return f"left out: {where}{first.message}{more}"
    places: dict[str, list[str]] = {}
    for change in done.changes:
        if change.is_loss:
            found = places.setdefault(str(change.code), [])
            found.extend(str(one) for one in (change.entry, change.detail) if one not in (None, ""))
    return "; ".join(f"lost {code}" + (f" ({', '.join(of)})" if of else "") for code, of in places.items())


def _record(source: str, done: RowDone) -> JsonObject:
    changes: list[JsonValue] = [
        {"code": str(one.code), "entry": one.entry, "detail": one.detail, "lost": one.is_loss}
        for one in done.changes
    ]
    problems: list[JsonValue] = [
        {"code": one.code, "entry": one.entry, "message": one.message, "pointer": one.pointer}
        for one in done.problems
    ]
    return {
        "file": source,
        "row": done.number,
        "written": done.is_written,
        "split": done.split or None,
        "changes": changes,
        "problems": problems,
    }


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
    # folded
    from workbench.library.datasets.conversion import Conversion

    _check(file, out, frame, as_json=as_json)
    check_address(engine, address)
    row_options = RowOptions(result_role=result_role.value, frame=frame, label=label, source=source)
    conversion = Conversion(
        read_as=from_, write_as=to, row_options=row_options, arguments=arguments.value, is_strict=strict
    )
    dealt = split_of(split, seed, group)
    summary = Summary()
    with ConvertReport(report) as told:
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
    file: str, out: str, conversion: "Conversion", dealt: RowSplit | None, engine: RowEngine, address: str
) -> "Iterator[ShardRow]":
    """What becomes of each row, whoever converts."""
    from workbench.library.datasets.conversion import (
        ShardRow,
        convert_file,
        convert_shards,
        settle_arguments,
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
        from workbench.library.datasets.chunks import RayRunner

        return RayRunner(address=address).convert(pairs, settle_arguments(conversion))
    return convert_shards(pairs, settle_arguments(conversion))


def _check(file: str, out: str, frame: str, *, as_json: bool) -> None:
    check_writing(out, frame, as_json=as_json)
    if file != "-" and out != "-" and Path(file).expanduser().resolve() == Path(out).expanduser().resolve():
        raise BadInput(f"--out {out}", "it is the file that is read", "name another")
