"""`workbench convert`: convert a file of training rows to another format."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.cli.ray_options import AddressOption, check_address
from workbench.cli.rows.row_engine import (
    ROW_FILES,
    AllowEmptyOption,
    Arguments,
    ArgumentsOption,
    EngineOption,
    FrameOption,
    GroupOption,
    ResultRole,
    ResultRoleOption,
    RowEngine,
    SeedOption,
    SplitOption,
    StripOption,
    check_writing,
    split_of,
)
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, row_total, with_progress, write_json_line
from workbench.errors import BadInput
from workbench.library.datasets.conversion import NoRows, RowDone
from workbench.library.datasets.row_writer import RowWriter, open_writer
from workbench.trajectory.formats.known import FORMATS, WRITTEN, format_named
from workbench.trajectory.sets.split import RowSplit
from workbench.trajectory.writing.row_draft import SOURCE, TEXT_BREAKS, Addition, ConversionChange, RowOptions

if TYPE_CHECKING:
    from workbench.library.datasets.conversion import Conversion, ShardRow


_MOST_LINES: Final = 20
"""Maximum number of rows reported on standard error. The file of `--report` has all of them."""


@dataclass(slots=True)
class Summary:
    """Counts over all rows."""

    read: int = 0
    written: int = 0
    splits: Counter[str] = field(default_factory=Counter[str])
    """Written rows by split."""
    losses: Counter[str] = field(default_factory=Counter[str])
    """Written rows by what they lost."""
    additions: Counter[str] = field(default_factory=Counter[str])
    """Written rows by what was added or rearranged."""
    problems: Counter[str] = field(default_factory=Counter[str])
    """Skipped rows, by reason."""

    def add(self, done: RowDone) -> None:
        """Count one row."""
        self.read += 1
        self.problems.update({problem.code for problem in done.problems})
        if not done.is_written:
            return
        self.written += 1
        if done.split:
            self.splits[done.split] += 1
        self.losses.update({change.name for change in done.changes if change.is_loss})
        self.additions.update({str(change.code) for change in done.changes if not change.is_loss})

    def to_json(self) -> JsonObject:
        """Return the summary that `workbench convert --json` prints."""
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
        """Return the summary as lines for a person."""
        lines = [
            f"{count_of(self.read, 'row')} read, {self.written:,} written, {self.read - self.written:,} skipped"
        ]
        for name, counts in (
            ("splits", self.splits),
            ("lost", self.losses),
            ("added", self.additions),
            ("skipped because of", self.problems),
        ):
            if counts:
                listed = ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
                lines.append(f"{name}: {listed}")
        if self.additions[Addition.ARGUMENTS_AS_TEXT]:
            lines.append(f"arguments-as-text: {TEXT_BREAKS}")
        return lines


class ConvertReport:
    """Reports losses and problems: of the first rows on standard error, of all rows in a file.

    Args:
        target: File to write, as JSON Lines; empty for no file.
        listed_by: The option that lists all rows.
    """

    def __init__(self, target: str = "", listed_by: str = "--report FILE") -> None:
        self._target = target
        self._listed_by = listed_by
        self._stack = ExitStack()
        self._write: RowWriter | None = None
        self._reported = 0

    def __enter__(self) -> "ConvertReport":
        if self._target:
            self._write = self._stack.enter_context(open_writer(self._target))
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.__exit__(*raised)  # pyright: ignore[reportArgumentType]  passed on unchanged
        if self._reported > _MOST_LINES:
            more = self._reported - _MOST_LINES
            print(f"… and {count_of(more, 'more row')}; {self._listed_by} lists all of them", file=sys.stderr)

    def add(self, source: str, done: RowDone) -> None:
        """Report one row of the file `source`."""
        if self._write and (done.changes or done.problems):
            self._write(_record(source, done))
        line = _line(done)
        if line:
            self._reported += 1
            if self._reported <= _MOST_LINES:
                print(f"{source}:{done.number}: {line}", file=sys.stderr)


def _line(done: RowDone) -> str:
    """Return the report on one row; empty if nothing was lost."""
    if done.problems:
        first = done.problems[0]
        where = "" if first.entry is None else f"entry {first.entry}: "
        more = f" (and {len(done.problems) - 1} more)" if len(done.problems) > 1 else ""
        return f"skipped: {where}{first.message}{more}"
    places: dict[str, list[str]] = {}
    for change in done.changes:
        if change.is_loss:
            found = places.setdefault(change.name, [])
            detail = change.detail if change.name == change.code else ""
            found.extend(str(part) for part in (change.entry, detail) if part not in (None, ""))
    return "; ".join(
        f"lost {code}" + (f" ({', '.join(found)})" if found else "") for code, found in places.items()
    )


def _record(source: str, done: RowDone) -> JsonObject:
    problems: list[JsonValue] = [
        {
            "code": problem.code,
            "entry": problem.entry,
            "message": problem.message,
            "pointer": problem.pointer,
        }
        for problem in done.problems
    ]
    return {
        "file": source,
        "row": done.number,
        "written": done.is_written,
        "split": done.split or None,
        "changes": changes_json(done.changes),
        "problems": problems,
    }


def changes_json(changes: Sequence[ConversionChange]) -> list[JsonValue]:
    """Return the changes of a row as `--report` lists them."""
    return [
        {"code": str(change.code), "entry": change.entry, "detail": change.detail, "lost": change.is_loss}
        for change in changes
    ]


LEFT_OUT: Final = 1
"""Exit code if rows were skipped."""


def convert(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help=f"{ROW_FILES}, a folder of these, or - for standard input"),
    ],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"Format to write: {', '.join(WRITTEN)}")],
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="File to write: .jsonl, .jsonl.gz, .parquet, or - for standard output; a folder with --split, "
            "with --to session-trace, or to write a file for each file of a folder",
        ),
    ],
    from_: Annotated[
        str, typer.Option("--from", metavar="FORMAT", help=f"Format to read: auto, {', '.join(FORMATS)}")
    ] = "auto",
    strict: Annotated[
        bool, typer.Option("--strict", help="Treat lossy conversion as an error, and skip these rows")
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="Stop at the first row that cannot be converted, and write nothing")
    ] = False,
    split: SplitOption = "",
    seed: SeedOption = 0,
    group: GroupOption = "",
    result_role: ResultRoleOption = ResultRole.TOOL,
    frame: FrameOption = "hermes-array",
    strip_tool_prompt: StripOption = False,
    arguments: ArgumentsOption = Arguments.AUTO,
    label: Annotated[
        bool | None, typer.Option("--label/--no-label", help="For kto: label the rows as good, or as bad")
    ] = None,
    source: Annotated[
        str, typer.Option(help="Value of the column source, for rows without this column")
    ] = SOURCE,
    allow_empty: AllowEmptyOption = False,
    engine: EngineOption = RowEngine.PROCESSES,
    address: AddressOption = "",
    report: Annotated[
        str, typer.Option(metavar="FILE", help="Write all changes and problems to this file (JSON Lines)")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Convert training rows to another format.

    Reports what rows lose and which are skipped. Exit code 1 if rows were skipped, or if there are none.
    """
    from workbench.library.datasets.conversion import Conversion

    _check(file, out, frame, as_json=as_json)
    check_address(engine, address)
    is_folder = Path(file).expanduser().is_dir()
    options = RowOptions(
        result_role=result_role.value,
        frame=frame,
        label=label,
        source=source,
        strips_tool_prompt=strip_tool_prompt,
    )
    conversion = Conversion(
        read_as=from_,
        write_as=to,
        row_options=options,
        arguments=arguments.value,
        is_strict=strict,
        reports_damage=is_folder,
        allows_empty=allow_empty or is_folder,
    )
    row_split = split_of(split, seed, group)
    summary = Summary()
    with ConvertReport(report) as reporter:
        converted = _converted(file, out, conversion, row_split, engine, address)
        try:
            for shard, done in with_progress(converted, "rows", lambda: row_total([file])):
                summary.add(done)
                reporter.add(shard, done)
                if stop and not done.is_written:
                    raise BadInput(f"{shard}:{done.number}", done.problems[0].message, "nothing was written")
        except NoRows as error:
            print(f"workbench: {error}", file=sys.stderr)
            raise typer.Exit(LEFT_OUT) from error
    if as_json:
        write_json_line(summary.to_json())
    for line in summary.lines():
        print(line, file=sys.stderr)
    if summary.written < summary.read:
        raise typer.Exit(LEFT_OUT)


def _converted(
    file: str, out: str, conversion: "Conversion", row_split: RowSplit | None, engine: RowEngine, address: str
) -> "Iterator[ShardRow]":
    """Convert a file or a folder, and yield the result of each row."""
    from workbench.library.datasets.conversion import (
        convert_files,
        convert_shards,
        settle_arguments,
        shard_pairs,
    )
    from workbench.library.datasets.row_files import shards_of

    is_folder = Path(file).expanduser().is_dir()
    if not is_folder or _is_one_target(out, conversion.write_as):
        if engine is RowEngine.RAY:
            raise BadInput(
                "--engine ray", "converts only a folder to a folder", "give a folder, and another with --out"
            )
        return convert_files(shards_of(file) if is_folder else (file,), out, conversion, row_split)
    if row_split:
        raise BadInput("--split", "a folder of shards cannot be split", "split one file")
    pairs = shard_pairs(file, out)
    if engine is RowEngine.RAY:
        from workbench.library.datasets.chunks import RayRunner

        return RayRunner(address=address).convert(pairs, settle_arguments(conversion))
    return convert_shards(pairs, settle_arguments(conversion))


def _is_one_target(out: str, write_as: str) -> bool:
    """Whether all rows of a folder go to one place: a file, or a folder with a file for each session."""
    names_file = out == "-" or out.endswith((".jsonl", ".jsonl.gz", ".parquet"))
    return format_named(write_as).log is not None or (names_file and not Path(out).expanduser().is_dir())


def _check(file: str, out: str, frame: str, *, as_json: bool) -> None:
    check_writing(out, frame, as_json=as_json)
    if file != "-" and out != "-" and Path(file).expanduser().resolve() == Path(out).expanduser().resolve():
        raise BadInput(f"--out {out}", "this is the input file", "give another file")
