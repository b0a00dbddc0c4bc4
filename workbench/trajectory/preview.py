"""A row as a trainer would see it."""

from typing import cast

from workbench.chat.finding import Span
from workbench.errors import BadInput
from workbench.trajectory.formats.raw import RAW
from workbench.trajectory.mask import MaskedText, mask_trajectory
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.holding import Terms


def preview(trajectory: Trajectory, family: str = "") -> MaskedText:
    """The text of a conversation, and what of it is trained.

    Args:
        trajectory: The conversation, its tools with it.
        family: Whose chat template writes it; empty for the text of the format `raw`, in which the system
            text stands as the row has it.

    Raises:
        BadInput: There is no such family, or no text of turns can hold the conversation.
    """
    if family:
        return mask_trajectory(trajectory, family)
    written = write_row(trajectory, RAW, Terms())
    if written.row is None:
        raise BadInput("the row", written.problems[0].message)
    pairs = cast("list[list[int]]", written.row["loss_spans"])
    return MaskedText(text=str(written.row["text"]), trained=tuple(Span(*pair) for pair in pairs))
