"""Options that commands for rows share: how rows are written and split, and whether processes or Ray do the work."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.errors import BadInput
from workbench.trajectory.sets.split import RowSplit, parse_shares
from workbench.trajectory.system_text import FRAMES

if TYPE_CHECKING:
    from workbench.library.datasets.chunks import ChunkRunner


class Arguments(StrEnum):
    """How arguments are written, where a format leaves the choice."""

    AUTO = "auto"
    OBJECT = "object"
    TEXT = "text"


class ResultRole(StrEnum):
    """Whose entry holds results, in formats of Hermes' texts."""

    TOOL = "tool"
    USER = "user"


SplitOption = Annotated[
    str, typer.Option(metavar="NAME=SHARE,…", help="Deal rows out, as train=0.9,test=0.1.")
]
SeedOption = Annotated[int, typer.Option(help="Another seed deals otherwise.")]
GroupOption = Annotated[str, typer.Option(metavar="COLUMN", help="Equal values stay in one split.")]
ResultRoleOption = Annotated[ResultRole, typer.Option(help="Whose entry holds results.")]
FrameOption = Annotated[str, typer.Option(help=f"Sentences that tell of tools: {', '.join(FRAMES)}.")]
ArgumentsOption = Annotated[Arguments, typer.Option(help="For trl, dpo, kto.")]


def split_of(shares: str, seed: int, group: str) -> RowSplit | None:
    """How rows are dealt out; None where they are not.

    Raises:
        BadInput: The shares cannot be read.
    """
    return RowSplit(shares=parse_shares(shares), seed=seed, column=group) if shares else None


def check_writing(out: str, frame: str, *, as_json: bool) -> None:
    """Whether rows can be written so.

    Raises:
        BadInput: There is no such frame, or rows and summary would both go to standard output.
    """
    if frame not in FRAMES:
        raise BadInput(f"--frame {frame}", "there is no such frame", f"use one of {', '.join(FRAMES)}")
    if out == "-" and as_json:
        raise BadInput("--json", "standard output is taken by the rows", "give --out a file")


class RowEngine(StrEnum):
    """Who works."""

    PROCESSES = "processes"
    """This machine's, as many as `--jobs` says."""
    RAY = "ray"
    """Ray Data, here or on a cluster; needs the extra `scale`."""


ENGINE_HELP: Final = "Who works: processes here, or ray (extra scale)."
"""Help of the option, the same for all commands."""
ADDRESS_HELP: Final = "With --engine ray: a cluster's address; without one, Ray is started here."
"""As `ENGINE_HELP`."""


def check_address(engine: RowEngine, address: str) -> None:
    """Refuse an address that no one would go to.

    Raises:
        BadInput: It is given without Ray.
    """
    if address and engine is not RowEngine.RAY:
        raise BadInput(f"--address {address}", "it is Ray's", "add --engine ray")


def runner_for(engine: RowEngine, *, jobs: int, address: str) -> "ChunkRunner":
    """Who checks.

    Raises:
        BadInput: The options contradict each other.
    """
    check_address(engine, address)
    if engine is RowEngine.RAY:
        if jobs > 1:
            raise BadInput(f"--jobs {jobs}", "Ray decides how many work", "leave one of both out")
        from workbench.library.datasets.chunks import RayRunner

        return RayRunner(address=address)
    from workbench.library.datasets.chunks import LocalRunner

    return LocalRunner(jobs=jobs)
