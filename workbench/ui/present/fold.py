"""Show a button that shows and hides components, such as settings that are seldom needed.

The components stay part of the page while they are hidden: events read their values, and answers change them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldView:
    """The button. The components are hidden until it is pressed.

    Example:
        `FoldView(label="Cases and limits", content="suites-more-content")`.
    """

    label: str
    """The text of the button, which names the components."""
    content: str
    """Id of the element with the components."""
    is_kept: bool = False
    """Whether the browser remembers that it is open."""
    is_open: bool = False
    """Whether it is open at once."""
