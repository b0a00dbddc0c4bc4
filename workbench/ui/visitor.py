"""One browser's state: small, frozen, free of gradio; kept in `gr.State`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """What the page remembers of one open tab of a browser; all else is in its parts or in the store."""

    session_id: str | None = None
    """The open session; None until the first message makes one."""
    message_id: str | None = None
    """The message that the inspector shows; None follows the newest."""
    pending: str | None = None
    """What was sent and waits for its turn; None where nothing waits."""
