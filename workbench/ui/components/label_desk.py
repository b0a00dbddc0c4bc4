"""The labelling desk: queue, conversation and panel, worked by keys."""

from workbench.ui.components.drawn import Drawn


class LabelDesk(Drawn):
    """Every order goes out as `label_order`, but for a message that is written anew: `label_again`, `label_stop`."""

    shared = (
        "blocks.js",
        "call_form.js",
        "label_state.js",
        "label_form.js",
        "label_panel.js",
        "label_talk.js",
        "label_bar.js",
    )
    script = "label_desk.js"
