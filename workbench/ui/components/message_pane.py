"""Where a message is edited, shown as code, or brought back."""

from workbench.ui.components.drawn import Drawn


class MessagePane(Drawn):
    """Its events are `edit_again`, `save_message`, `close_pane` and `restore_message`."""

    shared = ("call_form.js",)
    script = "message_pane.js"
