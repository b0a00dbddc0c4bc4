"""What a table of a code holds."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Table(NamedTuple):
    """Texts of one code; those near the defect that have none of it come first."""

    noop: tuple[str, ...]
    """Read without this code."""
    rows: tuple[tuple[str, str], ...]
    """A text with it; then of a fix the text with all fixes made, of a finding what its span covers."""
    terms: Mapping[str, Any] = {}
    """Under which all of them are read, where not the usual ones."""
