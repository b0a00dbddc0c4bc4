"""Everything around the tabs: header, address bar, sign-in."""

import json
from dataclasses import dataclass
from typing import Any, cast

import gradio as gr

from workbench.settings import Settings
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import Stubless


class SignIn(gr.LoginButton, metaclass=Stubless):
    """Gradio's sign-in button, but logging out sends a form. A logout link could be placed on any page."""

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "button"

    def activate(self) -> None:
        """Go to the login page or send the logout form, depending on the button's label.

        *Source:* gradio 6.31, components/login_button.py, with a form in place of its second link.
        """
        self.click(
            fn=None,
            inputs=[self],
            outputs=None,
            js=f"(label) => hermesWorkbench.signInOrOut(label, {json.dumps(self.value)})",
        )
        # Gradio leaves its callback untyped.
        cast(Any, self).attach_load_event(self._check_login_status, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """The components around the tabs."""

    header: Drawn
    address: Drawn
    account: Drawn
    tab_loader: Drawn


def build_frame(settings: Settings) -> PageFrame:
    """Build the frame, with a sign-in button on a Space with Hugging Face login."""
    frame = PageFrame(
        header=Drawn("header", elem_id="page-header"),
        address=Drawn("address", elem_id="page-address"),
        account=Drawn("account", elem_id="page-account"),
        tab_loader=Drawn("tab_loader", elem_id="page-tab-loader"),
    )
    if settings.has_hugging_face_login:
        SignIn("Sign in", size="sm", elem_id="page-login")
    return frame
