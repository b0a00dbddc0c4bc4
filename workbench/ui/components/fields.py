"""Build form fields: text, number, choice and code, without Gradio's frames."""

from typing import Literal, NamedTuple

import gradio as gr

from workbench.rollout.setting_field import NumberRange
from workbench.ui.gradio_parts.form_fields import UNSIZED, ChoiceField, CodeEditor, NumberField, TextField

__all__ = ["ChoiceField", "CodeEditor", "NumberField", "TextField", "number_field", "text_editor"]


def text_editor(
    label: str,
    language: Literal["json", "markdown", "yaml"] | None,
    elem_id: str,
    *,
    value: str = "",
    is_wrapped: bool,
    max_lines: int = 9,
    is_visible: bool = True,
) -> CodeEditor:
    """Build a code editor of a few lines that grows with its text.

    Args:
        label: The editor's name. `EditorsView` announces it to screen readers.
        language: The syntax to highlight, or None for plain text.
        elem_id: `tab-part`.
        value: The first text.
        is_wrapped: Whether long lines are wrapped.
        max_lines: The number of lines after which it scrolls.
        is_visible: Whether the page starts with it.
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
        visible=is_visible,
        elem_id=elem_id,
        elem_classes=["hw-editor"],
    )


class LazyEditor(NamedTuple):
    """A code editor that the browser creates when its text gets the focus (`ui/scripts/drafts/fields.js`)."""

    text: TextField
    """Holds the text, which events read. It is not shown."""
    code: CodeEditor
    """Shows and changes the text. Events neither read nor write it."""


def lazy_text_editor(
    label: str, language: Literal["json", "markdown"], elem_id: str, *, is_wrapped: bool
) -> LazyEditor:
    """Build a code editor that is created when its text gets the focus; the parameters are those of `text_editor`."""
    with gr.Column(elem_id=elem_id, elem_classes=["hw-lazy-editor"], min_width=0):
        text = TextField(label=label, container=False, lines=UNSIZED, elem_id=f"{elem_id}-value")
        code = text_editor(label, language, f"{elem_id}-code", is_wrapped=is_wrapped, is_visible=False)
    return LazyEditor(text, code)


def number_field(numbers: NumberRange, elem_id: str, value: float, *, label: str = "") -> NumberField:
    """Build the field of a range.

    Args:
        numbers: The valid numbers.
        elem_id: `tab-part`.
        value: The first number. It cannot be empty, since Gradio's browser side fills in 0 when it draws the field.
        label: The label, if it is not the range's own.
    """
    return NumberField(
        value,
        label=label or numbers.label,
        minimum=numbers.least,
        maximum=numbers.most,
        step=numbers.step or 1,
        min_width=0,
        elem_id=elem_id,
    )
