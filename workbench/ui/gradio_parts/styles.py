"""Give the rules of a style sheet more weight than those of Gradio's components.

Gradio does this to its option `css`, but writes the result into the page, which the browser parses and prints again.

*Gradio 6.31:* `assets/core` (js/core/src/css.ts, `prefix_css`).
"""

import gradio as gr


def before_gradios(rules: str) -> str:
    """Return the rules with the weight of Gradio's own selector of the page, wherever in the document they apply."""
    page = f".gradio-container.gradio-container-{gr.__version__.replace('.', '-')} .contain"
    return f":is(:root, {page}) {{\n{rules}\n}}\n"
