"""Everything around the tabs: header, address bar, sign-in."""

import json
from dataclasses import dataclass
from typing import Any, Final, cast

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
        """Go to the login or send the logout's form, by what the button says."""
        self.click(fn=None, inputs=[self], outputs=None, js=_GO.replace("SIGN_IN", json.dumps(self.value)))
        # Gradio leaves its callback untyped.
        cast(Any, self).attach_load_event(self._check_login_status, None)


# Gradio's own, with a form in place of its second link. *Source:* gradio 6.31, components/login_button.py.
_GO: Final = """
(label) => {
  window.parent?.postMessage({ type: "SET_SCROLLING", enabled: true }, "*");
  const query = "?_target_url=/" + window.location.search;
  if (label === SIGN_IN) return void window.location.assign("/login/huggingface" + query);
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/logout" + query;
  document.body.append(form);
  form.submit();
}
"""


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
