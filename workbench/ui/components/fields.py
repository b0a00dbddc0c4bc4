"""Form fields: text, number, choice and code, without Gradio's frames and stub files."""

from abc import ABCMeta
from html import escape
from typing import Any, Literal, cast

import gradio as gr
from gradio import component_meta
from gradio.component_meta import ComponentMeta

from workbench.rollout.setting_field import NumberRange
from workbench.ui.present.glossary_terms import TERMS


class Stubless(ComponentMeta):
    """Gradio's own metaclass writes a `.pyi` file beside each component's source; ours stays as it is.

    *Source:* gradio 6.31, component_meta.py, `create_or_modify_pyi`.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> "Stubless":
        if "__init__" in attributes:
            attributes["__init__"] = cast(Any, component_meta).updateable(attributes["__init__"])
        return ABCMeta.__new__(cls, name, bases, attributes)


class CodeEditor(gr.Code, metaclass=Stubless):
    """Gradio's editor, but that it strips no white space from what it is given, and that nothing in it is text too.

    *Source:* gradio 6.31, components/code.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: str | None) -> str:
        """The text that stands there; the browser sends null for none."""
        return payload or ""

    def postprocess(self, value: str | None) -> str:
        """The text as it is."""
        return value or ""

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "code"


def heading(text: str, *, term: str = "") -> None:
    """Put a heading above a group of parts.

    Args:
        term: A term of the glossary, whose meaning becomes the tooltip of the heading.
    """
    inner = f'<span class="hw-term" title="{escape(TERMS[term])}">{text}</span>' if term else text
    gr.HTML(f"<h2>{inner}</h2>", apply_default_css=False, elem_classes=["hw-h"])


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


class TextField(gr.Textbox, metaclass=Stubless):
    """Gradio's text field, but that nothing in it is the empty text, for who reads it and for the browser.

    Without a text of its own Gradio's field holds null until it is filled. Its handlers then have two kinds of nothing
    to read, and filling it with the empty text is a change, which is told while the fields behind it are still to be
    filled.

    *Source:* gradio 6.31, components/textbox.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: str | None) -> str:
        """The text that stands there."""
        return payload or ""

    def postprocess(self, value: str | None) -> str:
        """The text to show."""
        return value or ""

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "textbox"


class NumberField(gr.Number, metaclass=Stubless):
    """Gradio's number, but that whoever reads it says what is wrong with it.

    Gradio's own refusal names no field, hands nothing to the handler, so that what was sent with it is lost, and drops
    what was typed meanwhile.

    *Source:* gradio 6.31, components/number.py, `preprocess`; js/core/src/dependency.ts.
    """

    def preprocess(self, payload: float | None) -> float | None:
        """What stands there; None for nothing."""
        return payload

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "number"


def number_field(numbers: NumberRange, elem_id: str, value: float, *, label: str = "") -> NumberField:
    """The field of a range.

    Args:
        numbers: What may stand there.
        elem_id: `tab-part`.
        value: What stands there at first. An empty field is none: Gradio's browser side fills 0 in once it is drawn.
        label: Where it is not the range's own.
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
    """Gradio's dropdown, but that whoever reads it says what is wrong with it.

    Gradio refuses each event of the page that reads a value which is none of the choices: of a session whose contract
    came with its rows, of what was deleted since the page was built. The refusal says the choices and nothing to do.

    *Source:* gradio 6.31, components/dropdown.py, `preprocess` and `postprocess`.
    """

    def preprocess(self, payload: Any) -> Any:
        """What was chosen, or stands there; None for nothing."""
        return payload

    def postprocess(self, value: Any) -> Any:
        """What to show as chosen."""
        return value

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "dropdown"


class TickField(gr.CheckboxGroup, metaclass=Stubless):
    """Gradio's group of boxes, which refuses no more than `ChoiceField` does: its boxes may have changed meanwhile.

    *Source:* gradio 6.31, components/checkboxgroup.py, `preprocess`.
    """

    def preprocess(self, payload: Any) -> Any:
        """What is ticked."""
        return payload

    def get_block_name(self) -> str:
        """What the browser draws it with."""
        return "checkboxgroup"
