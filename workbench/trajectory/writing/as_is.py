"""Rows whose texts are as a model wrote them, whether they can be read back or not."""

from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.pairing import pair_results
from workbench.trajectory.row import RowFinding
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.convert import Converted
from workbench.trajectory.writing.holding import Holding, Terms


def write_as_is(trajectory: Trajectory, write_as: RowFormat, terms: Terms) -> Converted:
    """The row of a trajectory without the proof that it reads the same: every text must stand in it, no more.

    Raises:
        ValueError: The format is only read.
    """
    if write_as.spell is None:
        raise ValueError(f"{write_as.name} is only read")
    told = Trajectory(
        messages=pair_results(trajectory.messages),
        tools=trajectory.tools,
        rejected=pair_results(trajectory.rejected),
        answer_start=trajectory.answer_start,
        label=trajectory.label,
        columns=trajectory.columns,
    )
    holding = Holding(told, terms)
    for step in write_as.steps:
        step(holding)
    problems = list(holding.problems)
    row = None if problems else write_as.spell(holding.trajectory, terms)
    if row is not None:
        written = {entry.text for entry in write_as.read(row).all_entries}
        problems = [
            f"message {message.place + 1}: its text cannot stand in a row of {write_as.name} as it is"
            for message in holding.trajectory.messages
            if message.text is not None and message.text not in written
        ]
    refusals = tuple(RowFinding(code="not-writable", message=problem) for problem in problems)
    return Converted(row=None if problems else row, changes=tuple(holding.changes), problems=refusals)
