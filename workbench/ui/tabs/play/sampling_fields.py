"""The sampling's fields in the left column, drawn from their declarations; row 0 is visible, the rest folded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import gradio as gr
from gradio.blocks import Block

from workbench.records.run_config import RunConfig
from workbench.rollout.sampling import SAMPLING_FIELDS
from workbench.rollout.setting_field import ChoiceOption, FieldEditor, LinesEditor, NumberRange, settings_of
from workbench.ui.components.number_field import number_field
from workbench.ui.components.text_field import TextField

_STOP_TEXTS: Final = "play-stop-texts"
"""`play-stop` is the button."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParts:
    """The sampling's fields, the rounds of a turn, and what is kept of tokens."""

    fields: Mapping[str, Block] = field(hash=False)
    """By their names in `SETUP_FIELDS`."""


def build_sampling() -> SamplingParts:
    """Builds the fields."""
    own = settings_of(RunConfig)
    with gr.Row(elem_id="play-sampling"):
        parts = {**_parts(0), "max_rounds": _part("max_rounds", own["max_rounds"].editor)}
    with gr.Accordion("More sampling", open=False, elem_id="play-more-sampling"):
        with gr.Row(elem_classes=["hw-numbers"]):
            parts |= _parts(1)
        parts |= _parts(2)
        parts["wants_logprobs"] = gr.Checkbox(
            label=own["wants_logprobs"].editor.label, container=False, elem_id="play-wants-logprobs"
        )
    return SamplingParts(fields=parts)


def _parts(section: int) -> dict[str, Block]:
    """The fields of row 0, of row 1, or of all rows from 2 on."""
    return {
        name: _part(name, declared.editor)
        for name, declared in SAMPLING_FIELDS.items()
        if min(declared.row, 2) == section
    }


def _part(name: str, editor: FieldEditor) -> Block:
    """Begins with a value that it allows; the page's opening fills it."""
    elem_id = _STOP_TEXTS if name == "stop" else f"play-{name.replace('_', '-')}"
    match editor:
        case NumberRange():
            return number_field(editor, elem_id, max(editor.least, 0))
        case ChoiceOption():
            return gr.Dropdown([*editor.options], label=editor.label, elem_id=elem_id, min_width=0)
        case LinesEditor():
            return TextField(
                label=editor.label, lines=1, max_lines=6, elem_id=elem_id, placeholder=editor.placeholder
            )
        case _:
            raise TypeError(f"no component for sampling field {name!r}")
