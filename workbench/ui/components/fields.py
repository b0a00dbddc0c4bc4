"""Form fields: text, number, choice and code, without Gradio's frames and stub files."""

from abc import ABCMeta
from typing import Any, Final, Literal, NamedTuple, cast

import gradio as gr
from gradio import component_meta
from gradio.component_meta import ComponentMeta

from workbench.rollout.setting_field import NumberRange


class Stubless(ComponentMeta):
    """A metaclass without the `.pyi` file that Gradio's metaclass writes next to each component's source.

    *Source:* gradio 6.31, component_meta.py, `create_or_modify_pyi`.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> "Stubless":
        if "__init__" in attributes:
            attributes["__init__"] = cast(Any, component_meta).updateable(attributes["__init__"])
        return ABCMeta.__new__(cls, name, bases, attributes)


class CodeEditor(gr.Code, metaclass=Stubless):
    """Gradio's code editor, but it keeps white space, and an empty editor holds the empty text.

    *Source:* gradio 6.31, components/code.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: str | None) -> str:
        """Return the text; the browser sends null for an empty editor."""
        return payload or ""

    def postprocess(self, value: str | None) -> str:
        """Return the text unchanged."""
        return value or ""

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "code"


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


UNSIZED: Final = 20
"""The number of lines of a text field that is not shown. Gradio does not fit the height of a field with this number of
lines to its text, for which the browser would lay out the page at every change.

*Source:* gradio 6.31, js/textbox/shared/Textbox.svelte, `resize`.
"""


class LazyEditor(NamedTuple):
    """A code editor that the browser creates when its text gets the focus (`ui/scripts/drafts/fields.js`)."""

    text: "TextField"
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


class TextField(gr.Textbox, metaclass=Stubless):
    """Gradio's text field, but an empty field holds the empty text, on the server and in the browser.

    Gradio's field holds null until it is filled. Handlers would have to accept both null and the empty text, and
    filling the field with the empty text would fire `change` while the fields after it are not filled yet.

    *Source:* gradio 6.31, components/textbox.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: str | None) -> str:
        """Return the text."""
        return payload or ""

    def postprocess(self, value: str | None) -> str:
        """Return the text to show."""
        return value or ""

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "textbox"


class NumberField(gr.Number, metaclass=Stubless):
    """Gradio's number field, but the handler that reads the number checks it.

    When Gradio rejects a number, its message does not name the field, the handler is not called, so that the other
    values are lost, and text typed meanwhile is dropped.

    *Source:* gradio 6.31, components/number.py, `preprocess`; js/core/src/dependency.ts.
    """

    def preprocess(self, payload: float | None) -> float | None:
        """Return the number, or None for an empty field."""
        return payload

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "number"


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


class ChoiceField(gr.Dropdown, metaclass=Stubless):
    """Gradio's dropdown, but the handler that reads the value checks it.

    Gradio rejects every event that reads a value which is not among the choices, such as the contract of an imported
    session, or an item that was deleted since the page was built. Its message lists the choices, but not what to do.

    *Source:* gradio 6.31, components/dropdown.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: Any) -> Any:
        """Return the chosen or typed value, or None."""
        return payload

    def postprocess(self, value: Any) -> Any:
        """Return the value to show as chosen."""
        return value

    def get_block_name(self) -> str:
        """Return the name of the browser component that draws it."""
        return "dropdown"
