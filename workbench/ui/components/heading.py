"""Headings above groups of components."""

from dataclasses import dataclass

from workbench.ui.components.drawn import Drawn
from workbench.ui.present.glossary_terms import TERMS


@dataclass(frozen=True, slots=True)
class HeadingView:
    """A heading."""

    text: str
    meaning: str
    """The tooltip; empty for none."""


def heading(text: str, *, term: str = "") -> None:
    """Add a heading.

    Args:
        text: The heading.
        term: A term of the glossary, whose meaning becomes the tooltip.

    Raises:
        KeyError: The glossary does not have the term.
    """
    Drawn("heading", HeadingView(text, TERMS[term] if term else ""), elem_classes=["hw-h"])
