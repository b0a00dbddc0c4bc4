"""Everything around the tabs: header, address bar, sign-in."""

from dataclasses import dataclass

from workbench.settings import Settings
from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.sign_in import SignIn
from workbench.ui.present.notices import NoticeLine, NoticeView
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
    has_account = settings.accounts or settings.has_hugging_face_login
    frame = PageFrame(
        header=Drawn(
            "header", elem_id="page-header", elem_classes=["is-beside-account"] if has_account else ()
        ),
        picker=Drawn("model_picker", elem_id="page-models"),
        address=Drawn("address", elem_id="page-address"),
        account=Drawn("account", elem_id="page-account"),
        tab_loader=Drawn("tab_loader", elem_id="page-tab-loader"),
    )
    # After the header, whose first control skips to the content.
    Drawn("places", PlacesView(), elem_id="page-places")
    if settings.is_on_space:
        Drawn("notice", space_notice(settings), elem_id="page-space")
    if settings.has_hugging_face_login:
        SignIn("Sign in", size="sm", elem_id="page-login")
    return frame


def space_notice(settings: Settings) -> NoticeView:
    """Say what a visitor of a Space should know: what tools do, who sees sessions, and how long they are kept."""
    is_lost = settings.bucket is None and settings.database_url.startswith("sqlite")
    kept = "are lost when it restarts" if is_lost else "stay until you delete them"
    text = f"Tools are mocks. Only you and the Space's owner see your sessions, which {kept}."
    return NoticeView(lines=(NoticeLine(word="Demo", text=text, tone="quiet"),))
