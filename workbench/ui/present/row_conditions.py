"""The conditions of a filter of rows, as a person reads them and as the page sends them back."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonValue, as_object
from workbench.errors import BadInput
from workbench.trajectory.sets.row_index import MarkKind, Range, RowFilter, RowMark

_MOST_CONDITIONS: Final = 20
"""Conditions that are applied; each takes a look at the whole index."""


class Condition(NamedTuple):
    """A condition that rows must meet, as a person reads it and as the page sends it back."""

    label: str
    filter: str
    """A `RowFilter` as JSON."""


def read_conditions(text: str) -> tuple[RowFilter, tuple[Condition, ...]]:
    """Return the filter that is made of all conditions, which the page sends as a JSON list of labels and filters.

    Raises:
        BadInput: It is not such a list.
    """
    chosen, conditions = RowFilter(), list[Condition]()
    try:
        for label, written in cast("list[list[str]]", json.loads(text or "[]"))[:_MOST_CONDITIONS]:
            chosen = _narrowed(chosen, as_object(cast(JsonValue, json.loads(written))))
            conditions.append(Condition(str(label), written))
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput("filter", "it is not valid", "choose it again") from error
    return chosen, tuple(conditions)


def _narrowed(chosen: RowFilter, fields: Mapping[str, JsonValue]) -> RowFilter:
    if "mark" in fields:
        kind, *names = cast("list[str]", fields["mark"])
        return replace(chosen, marks=(*chosen.marks, RowMark(MarkKind(kind), tuple(map(str, names)))))
    ((name, bounds),) = fields.items()
    if name not in ("calls", "turns", "tokens"):
        raise ValueError(name)
    least, most = cast("list[int | None]", bounds)
    span, known = Range(int(least or 0), None if most is None else int(most)), getattr(chosen, name)
    return replace(chosen, **{name: span if known is None else _both(known, span)})


def _both(one: Range, other: Range) -> Range:
    ends = [span.most for span in (one, other) if span.most is not None]
    return Range(max(one.least, other.least), min(ends, default=None))
