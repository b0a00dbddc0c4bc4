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
    about: str
    """The page of the documentation about the section, below `help/`, with its anchor."""


def heading(text: str, *, about: str, term: str = "") -> None:
    """Add a heading with a `?` that opens the documentation of its section beside the page.

    Args:
        text: The heading.
        about: The page of the documentation and its anchor, such as `reference/contracts#lint`.
        term: A term of the glossary, whose meaning becomes the tooltip.

    Raises:
        KeyError: The glossary does not have the term.
    """
    Drawn("heading", HeadingView(text, TERMS[term] if term else "", about), elem_classes=["hw-h"])
