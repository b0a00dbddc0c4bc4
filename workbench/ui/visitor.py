"""The state of one browser tab: small, frozen, independent of Gradio, kept in `gr.State`."""

from dataclasses import dataclass
from typing import Final

from workbench.records.session_tree import NO_FILTER, SearchFilter

PAGE: Final = 100
"""Sessions that the list holds at first, and that are added at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """What the page remembers of one open tab of a browser; all else is in its parts or in the store."""

    browser_key: str | None = None
    """Tells the browser from others, where strangers come; None elsewhere."""
    session_id: str | None = None
    """The open session; None until the first message makes one."""
    leaf_id: str | None = None
    """The last message that is shown: what is sent goes on from there. None while there is none."""
    share_key: str | None = None
    """Of a session that is seen by a link; None of all others."""
    is_read_only: bool = False
    """True of a session that can be looked at and copied, not gone on with."""
    all_owners: bool = False
    """True while an admin lists the sessions of all."""
    query: str = ""
    """What the list of sessions is searched for; blank shows all."""
    wanted: SearchFilter = NO_FILTER
    """What the sessions of the list must have besides."""
    listed: int = PAGE
    """Sessions that the list may hold; `more` makes it longer."""
    message_id: str | None = None
    """The message that the inspector shows; None follows the newest."""
    call_index: int | None = None
    """The call of that message that is picked; None for none."""

    def at_home(self) -> "Visitor":
        """The same browser without an open session."""
        return Visitor(
            browser_key=self.browser_key,
            all_owners=self.all_owners,
            query=self.query,
            wanted=self.wanted,
            listed=self.listed,
        )
