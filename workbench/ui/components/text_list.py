"""The contracts, or the suites, to be opened and begun; the browser keeps what is typed in them."""

from workbench.ui.components.drawn import Drawn


class TextList(Drawn):
    """Texts of one kind: opened, begun, and remembered with their drafts by the browser."""

    script = "text_list.js"
