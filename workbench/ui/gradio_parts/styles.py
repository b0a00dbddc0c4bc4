"""Repeat each rule of a style sheet inside Gradio's page, so that it comes before the rules of Gradio's components.

Gradio does this to its option `css`, but writes the result into the page, which the browser parses and prints again.

*Gradio 6.31:* `assets/core` (js/core/src/css.ts, `prefix_css`).
"""

import gradio as gr


def before_gradios(rules: str) -> str:
    """Return the rules, and the same rules inside the element that Gradio draws the page in."""
    page = f".gradio-container.gradio-container-{gr.__version__.replace('.', '-')} .contain"
    return f"{rules}\n{page} {{\n{rules}\n}}\n"
