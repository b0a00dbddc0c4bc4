"""Everything around the tabs: header, address bar, sign-in."""

from dataclasses import dataclass

from workbench.settings import Settings
from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.sign_in import SignIn
from workbench.ui.present.place import PlacesView


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """The components around the tabs."""

    header: Drawn
    picker: Drawn
    """The picker of models, which the header opens."""
    address: Drawn
    account: Drawn
    tab_loader: Drawn


def build_frame(settings: Settings) -> PageFrame:
    """Build the frame, with a sign-in button on a Space with Hugging Face login."""
    frame = PageFrame(
        header=Drawn("header", elem_id="page-header"),
        picker=Drawn("model_picker", elem_id="page-models"),
        address=Drawn("address", elem_id="page-address"),
        account=Drawn("account", elem_id="page-account"),
        tab_loader=Drawn("tab_loader", elem_id="page-tab-loader"),
    )
    # After the header, whose first control skips to the content.
    Drawn("places", PlacesView(), elem_id="page-places")
    if settings.has_hugging_face_login:
        SignIn("Sign in", size="sm", elem_id="page-login")
    return frame
