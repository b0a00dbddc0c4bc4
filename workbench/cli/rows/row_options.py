"""Options that verbs share which write training rows: how they are dealt out, and how they are written."""

from enum import StrEnum
from typing import Annotated

import typer

from workbench.errors import BadInput
from workbench.trajectory.sets.split import Split, parse_shares
from workbench.trajectory.system_text import FRAMES


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


def split_of(shares: str, seed: int, group: str) -> Split | None:
    """How rows are dealt out; None where they are not.

    Raises:
        BadInput: The shares cannot be read.
    """
    return Split(shares=parse_shares(shares), seed=seed, column=group) if shares else None


def check_writing(out: str, frame: str, *, as_json: bool) -> None:
    """Whether rows can be written so.

    Raises:
        BadInput: There is no such frame, or rows and summary would both go to standard output.
    """
    if frame not in FRAMES:
        raise BadInput(f"--frame {frame}", "there is no such frame", f"use one of {', '.join(FRAMES)}")
    if out == "-" and as_json:
        raise BadInput("--json", "standard output is taken by the rows", "give --out a file")
