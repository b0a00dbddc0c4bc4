"""A finding of the validator, with the severity of its code."""

from workbench.trajectory.row import Entry, RowFinding
from workbench.trajectory.validate.codes import severity_of

_LONGEST_NAME = 40


def said(code: str, message: str, *, entry: Entry | None = None, pointer: str | None = None) -> RowFinding:
    """A finding about an entry, or about the whole row.

    Args:
        code: From `ROW_CODES`, or one of the reader's `schema-…`.
        message: What is wrong and what to do.
        entry: The entry it is about; None for the row.
        pointer: Into the row; None for the entry's own.
    """
    where = pointer if pointer is not None else entry.pointer if entry else ""
    # A system text in a column of its own stands in no conversation.
    place = entry.place if entry and entry.place >= 0 else None
    return RowFinding(code=code, message=message, severity=severity_of(code), entry=place, pointer=where)


def short(name: str) -> str:
    """A name in quotes, cut where it is long.

    >>> short("f")
    "'f'"
    """
    return repr(name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…")
