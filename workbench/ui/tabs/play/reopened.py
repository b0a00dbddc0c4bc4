"""The session that a visitor has open, as it is now."""

from workbench.app.opened import OpenedSession, open_session, open_shared
from workbench.app.services import Services
from workbench.ui.present.conversation import ReadRound, read_path
from workbench.ui.present.session import tools_of
from workbench.ui.visitor import Visitor


def reopened(services: Services, visitor: Visitor) -> OpenedSession | None:
    """The open session up to the message that the visitor sees last; None where none is open.

    Raises:
        StoreError: It cannot be read.
    """
    if visitor.share_key is not None:
        return open_shared(services, visitor.share_key, leaf_id=visitor.leaf_id)
    if visitor.session_id is None:
        return None
    return open_session(services, visitor.session_id, leaf_id=visitor.leaf_id)


def round_at(opened: OpenedSession | None, message_id: str) -> ReadRound | None:
    """The completion of that id; None where it is not on the path that is shown."""
    if opened is None:
        return None
    rounds = read_path(opened.path, tools_of(opened.session.setup))
    return next((one for one in rounds if one.kept.id == message_id), None)
