"""Fields as the page has them everywhere: headings, dropdowns and editors without Gradio's frames."""

from typing import Literal

import gradio as gr

from workbench.ui.components.editor import CodeEditor


def heading(text: str) -> None:
    """A line above a group of parts."""
    gr.HTML(f"<h2>{text}</h2>", apply_default_css=False, elem_classes=["hw-h"])


def text_editor(
    label: str,
    language: Literal["json", "markdown", "yaml"] | None,
    elem_id: str,
    *,
    value: str = "",
    is_wrapped: bool,
    max_lines: int = 9,
) -> CodeEditor:
    """An editor of a few lines that grows a little.

    Args:
        label: Its name; `EditorNames` tells it to screen readers.
        language: None for text of no language.
        elem_id: `tab-part`.
        value: What stands in it at first.
        is_wrapped: Whether long lines are wrapped.
        max_lines: It scrolls beyond.
    """
    return CodeEditor(
        value,
        language=language,
        label=label,
        show_label=False,
        container=False,
        lines=6,
        max_lines=max_lines,
        wrap_lines=is_wrapped,
        buttons=[],
        interactive=True,
        elem_id=elem_id,
        elem_classes=["hw-editor"],
    )
