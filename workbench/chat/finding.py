"""What was noticed and is told, without changing a text."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.chat.span import Span


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was noticed, with its place."""

    code: str
    """Stable word from `docs/reference/codes.md`."""
    message: str
    """What is wrong, where, and what to do; under 100 characters, names in `!r`."""
    severity: Severity = Severity.ERROR
    """Error: the thing cannot be used as it is. Warning: it can. Note: nothing is wrong."""
    span: Span | None = None
    """Place in the text that was read; None where there is no text."""
    pointer: str | None = None
    """JSON pointer into the arguments or the document, such as `/items/2/qty`; None where none applies."""
    schema_pointer: str | None = None
    """JSON pointer into the JSON Schema that was broken; None where none applies."""
    line: int | None = None
    """Line in the text that was read, from 1; None where it was not worked out."""
