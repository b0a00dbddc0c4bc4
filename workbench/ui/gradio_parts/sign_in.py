"""Gradio's sign-in button, but logging out sends a form. A logout link could be placed on any page.

*Gradio 6.31:* `components.login_button.LoginButton.activate`,
`components.login_button.LoginButton._check_login_status`.
"""

import json
from typing import Any, cast

import gradio as gr

from workbench.ui.gradio_parts.stubless import Stubless


class SignIn(gr.LoginButton, metaclass=Stubless):
    """The button. `hermesWorkbench.signInOrOut` goes to the login page or sends the logout form."""

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "button"

    def activate(self) -> None:
        """Connect the button. Gradio calls this once the page is built."""
        self.click(
            fn=None,
            inputs=[self],
            outputs=None,
            js=f"(label) => hermesWorkbench.signInOrOut(label, {json.dumps(self.value)})",
        )
        # Gradio leaves its callback untyped.
        cast(Any, self).attach_load_event(self._check_login_status, None)
