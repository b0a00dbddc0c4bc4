"""What stands around the tabs: the head, the address bar, who is logged in."""

from dataclasses import dataclass

from workbench.settings import Settings
from workbench.ui.components.account import Account
from workbench.ui.components.address import Address
from workbench.ui.components.header import Header
from workbench.ui.components.sign_in import SignIn


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The frame's parts."""

    header: Header
    address: Address
    account: Account


def build_frame(settings: Settings) -> Frame:
    """Builds the frame; on a Space that knows Hugging Face's login, with its button."""
    frame = Frame(
        header=Header(elem_id="page-header"),
        address=Address(elem_id="page-address"),
        account=Account(elem_id="page-account"),
    )
    if settings.has_hugging_face_login:
        SignIn("Sign in", size="sm", elem_id="page-login")
    return frame
