"""Everything around the tabs: header, address bar, sign-in."""

import json
from dataclasses import dataclass
from typing import Any, cast

import gradio as gr

from workbench.settings import Settings
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import Stubless


class SignIn(gr.LoginButton, metaclass=Stubless):
    """Gradio's button, but that it logs out by a form: a link that logs out could be put anywhere."""

    def get_block_name(self) -> str:
        """The browser knows it as a button."""
        return "button"

    def activate(self) -> None:
        """Go to the login or send the logout's form, by what the button says.

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
