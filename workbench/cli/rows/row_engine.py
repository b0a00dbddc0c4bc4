"""Options shared by the commands for rows: formats, splits, and processes or Ray."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.cli.ray_options import RAY, check_address
from workbench.errors import BadInput
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.sets.split import RowSplit, parse_shares
from workbench.trajectory.system_text import FRAMES

if TYPE_CHECKING:
    from workbench.library.datasets.chunks import ChunkRunner


class Arguments(StrEnum):
    """How to write the arguments of calls, for formats that allow both."""

    AUTO = "auto"
    OBJECT = "object"
    TEXT = "text"


class ResultRole(StrEnum):
    """The role of entries with tool results, in formats that store texts as in Hermes' dataset."""

    TOOL = "tool"
    USER = "user"


ROW_FILES: Final = "JSONL, gzipped JSONL, JSON array or Parquet"
"""The kinds of files that rows are read from, for help texts."""
RowSources = Annotated[
    list[str], typer.Argument(metavar="FILE", help=f"{ROW_FILES}, a folder of these, or - for standard input")
]
AllowEmptyOption = Annotated[
    bool, typer.Option("--allow-empty", help="Do not treat a file without rows as an error")
]
FormatOption = Annotated[
    str, typer.Option("--format", metavar="FORMAT", help=f"Row format: auto, {', '.join(FORMATS)}")
]
SplitOption = Annotated[
    str, typer.Option(metavar="NAME=SHARE,…", help="Split the rows, such as train=0.9,test=0.1")
]
SeedOption = Annotated[int, typer.Option(help="Seed of the split")]
GroupOption = Annotated[
    str, typer.Option(metavar="COLUMN", help="Keep rows with equal values in this column in one split")
]
ResultRoleOption = Annotated[ResultRole, typer.Option(help="Role of entries with tool results")]
FrameOption = Annotated[
    str, typer.Option(metavar="FRAME", help=f"Sentences around the tool list: {', '.join(FRAMES)}")
]
StripOption = Annotated[
    bool,
    typer.Option(
        "--strip-tool-prompt",
        help="Remove the tool list from system texts, for formats whose chat template lists the tools",
    ),
]
ArgumentsOption = Annotated[
    Arguments, typer.Option(help="Arguments of calls as an object or as text; for trl, dpo and kto")
]


def split_of(shares: str, seed: int, group: str) -> RowSplit | None:
    """Return the split that the options describe, or None without `shares`.

    Raises:
        BadInput: The shares cannot be parsed.
    """
    return RowSplit(shares=parse_shares(shares), seed=seed, column=group) if shares else None


def check_writing(out: str, frame: str, *, as_json: bool) -> None:
    """Check the options for writing rows.

    Raises:
        BadInput: There is no such frame, or rows and summary would both go to standard output.
    """
    if frame not in FRAMES:
        raise BadInput(f"--frame {frame}", "unknown frame", f"use one of {', '.join(FRAMES)}")
    if out == "-" and as_json:
        raise BadInput("--json", "the rows already go to standard output", "give --out a file")


class RowEngine(StrEnum):
    """What processes the rows."""

    PROCESSES = "processes"
    """Processes on this machine, as many as `--jobs` says."""
    RAY = RAY
    """The workers of Ray, on this machine or on a cluster; requires the extra `scale`."""


EngineOption = Annotated[
    RowEngine, typer.Option(help="Process rows on this machine, or with Ray (requires the extra scale)")
]


def runner_for(engine: RowEngine, *, jobs: int, address: str) -> "ChunkRunner":
    """Return the runner that the options describe.

    Raises:
        BadInput: The options contradict each other.
    """
    check_address(engine, address)
    if engine is RowEngine.RAY:
        if jobs > 1:
            raise BadInput(f"--jobs {jobs}", "Ray chooses the number of workers", "omit --jobs")
        from workbench.library.datasets.chunks import RayRunner

        return RayRunner(address=address)
    from workbench.library.datasets.chunks import LocalRunner

    return LocalRunner(jobs=jobs)
