"""Every code of the validator with its meaning. `docs/reference/row-codes.md` repeats this table.

Codes that begin with `schema-` are the reader's own, one a keyword; see `docs/reference/codes.md`.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from workbench.chat.finding import Severity
from workbench.trajectory.row import RowEntry, RowFinding


class CodeScope(StrEnum):
    """What a code is said of."""

    ROW = "row"
    """One row by itself."""
    ROWS = "rows"
    """A row held against the others."""
    SET = "set"
    """All rows of all files together; such a finding has no row."""


class RowCode(NamedTuple):
    """One code."""

    word: str
    severity: Severity
    """Error: a trainer must not have the row."""
    scope: CodeScope
    meaning: str
    """One line for a person."""


def _error(word: str, meaning: str, scope: CodeScope = CodeScope.ROW) -> RowCode:
    return RowCode(word, Severity.ERROR, scope, meaning)


def _warning(word: str, meaning: str, scope: CodeScope = CodeScope.ROW) -> RowCode:
    return RowCode(word, Severity.WARNING, scope, meaning)


ROW_CODES: Final[tuple[RowCode, ...]] = (
    _error("unreadable-row", "the line is no JSON object"),
    _error("unknown-format", "the row looks like no format that we know"),
    _error("missing-field", "something that the format needs is not there"),
    _error("unknown-role", "the format knows no such speaker"),
    _error("role-order", "the speakers follow each other in an order that the target cannot train on"),
    _error("empty-entry", "an entry without text, call or result"),
    _error("last-not-assistant", "the last entry is not the model's, so nothing of it is learnt"),
    _error("tools-unreadable", "the declared tools cannot be read"),
    _error("tools-mismatch", "the system text declares other tools than the column"),
    _error("tool-declared-twice", "one row declares a tool twice"),
    _error("spec-unsound", "a tool's spec cannot be offered to a model"),
    _error("undeclared-tool", "a call of a tool that the row does not declare"),
    _error("call-not-strict", "a call that only a tolerant reader can read"),
    _error("call-unreadable", "a call that no reader can read"),
    _error("call-truncated", "a call that was cut off"),
    _error("call-without-result", "a call without a result, though the conversation goes on"),
    _error("result-without-call", "a result that answers no call"),
    _error("result-id-mismatch", "a result that names another call than those before it"),
    _warning("result-order", "results in another order than their calls"),
    _error("call-in-user", "a call in an entry that is not the model's"),
    _error("control-mark", "a mark of the format inside content: it would become structure"),
    _error("placeholder", "a placeholder that nobody filled"),
    _warning("none-filled", "arguments that are null though the tool knows no null, as Arrow fills them in"),
    _error("secret", "a key, a token or a password"),
    _warning("personal-data", "a mail address, or the number of a payment card or bank account"),
    _warning("duplicate-row", "the same conversation as an earlier row", CodeScope.ROWS),
    _warning("near-duplicate-row", "almost the same conversation as an earlier row", CodeScope.ROWS),
    _error("shared-row", "the same conversation in two files", CodeScope.ROWS),
    _warning("few-no-call", "under 5 % of the model's entries are without a call", CodeScope.SET),
    _warning("no-parallel", "no entry holds two calls", CodeScope.SET),
    _warning("dominant-tool", "over half of all calls are of one tool", CodeScope.SET),
    _warning("thinking-mixed", "some of the model's entries hold a thought, some do not", CodeScope.SET),
    _warning("schema-conflict", "one tool is declared in two ways", CodeScope.SET),
)
"""In the order of the documentation."""

_BY_WORD: Final = {code.word: code for code in ROW_CODES}


def severity_of(word: str) -> Severity:
    """How much a code matters; the reader's `schema-…` codes are errors.

    >>> severity_of("result-order").value, severity_of("schema-enum").value
    ('warning', 'error')
    """
    known = _BY_WORD.get(word)
    return known.severity if known else Severity.ERROR


_LONGEST_NAME = 40


def row_finding(
    code: str, message: str, *, entry: RowEntry | None = None, pointer: str | None = None
) -> RowFinding:
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


def quoted(name: str) -> str:
    """A name in quotes, cut where it is long.

    >>> short("f")
    "'f'"
    """
    return repr(name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…")
