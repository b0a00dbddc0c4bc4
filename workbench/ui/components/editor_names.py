"""Names editors for those who do not see them; draws nothing."""

from workbench.ui.components.drawn import Drawn


class EditorNames(Drawn):
    """Gradio names every editor alike; ours say which is which."""

    script = "editor_names.js"
