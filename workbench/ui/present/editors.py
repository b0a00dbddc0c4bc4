"""What editors are called."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorNamesView:
    """Names of the editors of one tab."""

    names: tuple[tuple[str, str], ...]
    """The editor's id and its name."""
