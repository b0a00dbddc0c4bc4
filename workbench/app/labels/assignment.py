"""Who labels what: each session goes to as many labellers as the project wants, the load shared evenly."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from workbench.errors import BadInput


class Assignment(NamedTuple):
    """One session, given to one labeller."""

    session_id: str
    labeller: str


def plan_assignments(
    session_ids: Sequence[str], labellers: Sequence[str], *, overlap: int, given: Iterable[Assignment] = ()
) -> Sequence[Assignment]:
    """What is to be given out beyond what was given already.

    Each session comes to `overlap` different labellers, those with the least to do first; where the load is
    equal, in the order named.

    Args:
        session_ids: What is to be labelled, in order.
        labellers: Who can be asked.
        overlap: Labellers a session.
        given: What was given out before.

    Raises:
        BadInput: There are fewer labellers than a session needs.
    """
    names = tuple(dict.fromkeys(labellers))
    if len(names) < overlap:
        raise BadInput(
            "labellers", f"{len(names)} for an overlap of {overlap}", "name more, or lower the overlap"
        )
    before = list(given)
    load = Counter(assignment.labeller for assignment in before)
    planned: list[Assignment] = []
    for session_id in dict.fromkeys(session_ids):
        have = {assignment.labeller for assignment in before if assignment.session_id == session_id}
        free = sorted((name for name in names if name not in have), key=lambda name: load[name])
        for name in free[: max(0, overlap - len(have))]:
            load[name] += 1
            planned.append(Assignment(session_id, name))
    return planned
