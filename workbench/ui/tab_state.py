"""The state of one browser tab: small, frozen, independent of Gradio, stored in `gr.State`."""

from dataclasses import dataclass
from typing import Final

from workbench.records.session_tree import NO_FILTER, SearchFilter

PAGE: Final = 100
"""The number of sessions in the list at first, and the number added at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TabState:
    """What the page remembers of one open browser tab. Everything else is in its components or in the store."""

    browser_key: str | None = None
    """Identifies the browser on a server with anonymous visitors; None elsewhere."""
    session_id: str | None = None
    """The open session, or None until the first message creates one."""
    leaf_id: str | None = None
    """The last shown message, which the next message follows. None if there is none."""
    share_key: str | None = None
    """The key of a session that is shown by a shared link; None for other sessions."""
    is_read_only: bool = False
    """True if the session can be read and copied, but not continued."""
    all_owners: bool = False
    """True while an admin lists the sessions of all."""
    query: str = ""
    """The words to search the session list for; blank shows all sessions."""
    search_filter: SearchFilter = NO_FILTER
    """The filter of the session list."""
    listed: int = PAGE
    """The most sessions in the list; `ListEvents.on_more` increases it."""
    message_id: str | None = None
    """The message that the inspector shows; None shows the newest."""
    call_index: int | None = None
    """The index of the picked call of that message, or None."""

    def shows_same(self, other: "TabState") -> bool:
        """Whether both see the same session, or none."""
        return (self.session_id, self.share_key) == (other.session_id, other.share_key)

    def at_home(self) -> "TabState":
        """Return the state of the same tab without an open session."""
        return TabState(
            browser_key=self.browser_key,
            all_owners=self.all_owners,
            query=self.query,
            search_filter=self.search_filter,
            listed=self.listed,
        )
