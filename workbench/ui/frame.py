"""What stands around the tabs: the head, the address bar, who is logged in."""

from dataclasses import dataclass

from workbench.settings import Settings
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.sign_in import SignIn


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """The frame's parts."""

    header: Drawn
    address: Drawn
    account: Drawn


def build_frame(settings: Settings) -> PageFrame:
    """Builds the frame; on a Space that knows Hugging Face's login, with its button."""
    frame = PageFrame(
        header=Drawn("header", elem_id="page-header"),
        address=Drawn("address", elem_id="page-address"),
        account=Drawn("account", elem_id="page-account"),
    )
    if settings.has_hugging_face_login:
        SignIn("Sign in", size="sm", elem_id="page-login")
    return frame
