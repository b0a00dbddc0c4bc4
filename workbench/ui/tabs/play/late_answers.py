"""An answer about a session that arrives once the tab shows another one: it changes nothing of what the tab shows."""

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import isgeneratorfunction
from typing import Any, cast

import gradio as gr

from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.tab_work import tab_of

StateOf = Callable[[str], TabState | None]
"""Returns what a tab shows now, by the tab's id; None if the tab is not known."""


def of_shown_session(handler: Callable[..., object], visitor_of: StateOf) -> Callable[..., object]:
    """Wrap a handler of the open session so that its late answers change nothing. A text that was copied is kept.

    Without this, the slow answer to a selected message would come after that to "New session", and the next message
    would go to the old session.

    Args:
        handler: Takes the state of the tab first, and the request. Returns or yields `Screen`.
        visitor_of: Returns what a tab shows now.
    """

    def fitting(screen: Screen, values: tuple[Any, ...]) -> Screen:
        before = cast(TabState, values[0])
        request = next(value for value in values if isinstance(value, gr.Request))
        now = visitor_of(tab_of(request))
        if now is None or now.shows_same(before):
            return screen
        return Screen(copied=screen.copied)

    @wraps(handler)
    def answer(*values: Any) -> Screen:
        return fitting(cast(Screen, handler(*values)), values)

    @wraps(handler)
    def answers(*values: Any) -> Iterator[Screen]:
        for screen in cast(Iterator[Screen], handler(*values)):
            yield fitting(screen, values)

    return answers if isgeneratorfunction(handler) else answer
