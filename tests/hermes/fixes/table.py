"""Test texts for one code."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Table(NamedTuple):
    """Texts for one code: similar correct ones, and faulty ones."""

    noop: tuple[str, ...]
    """Texts that must not get the code."""
    rows: tuple[tuple[str, str], ...]
    """Texts that must get the code. For a fix, with the fixed text; for a finding, with the text of its span."""
    options: Mapping[str, Any] = {}
    """Arguments of `parse` for all of them, if they differ from the usual ones."""
