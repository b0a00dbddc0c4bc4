"""Declare the numbers below the model for the script that draws them, `ui/scripts/play/sampling.js`.

They are one component with one value, because each component of Gradio costs the browser time when the page is opened.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.records.run_config import RunConfig
from workbench.rollout.sampling import SAMPLING_FIELDS
from workbench.rollout.setting_field import (
    ChoiceOption,
    FieldEditor,
    LinesEditor,
    NumberRange,
    Switch,
    settings_of,
)

_OWN: Final = settings_of(RunConfig)
_ROWS: Final = {
    **{name: (declared.editor, declared.row) for name, declared in SAMPLING_FIELDS.items()},
    "max_rounds": (_OWN["max_rounds"].editor, 0),
    "wants_logprobs": (_OWN["wants_logprobs"].editor, 2),
}
"""The editor and the row of each field; see `SettingField`."""
FORM_FIELDS: Final = tuple(sorted(_ROWS, key=lambda name: min(_ROWS[name][1], 2)))
"""Names of the fields of the form, in the order of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingView:
    """What the fields of the form show."""

    values: Mapping[str, object]
    """Values by the names in `FORM_FIELDS`, in that order: the browser compares setups as JSON text."""


def declared_fields() -> Sequence[Mapping[str, Any]]:
    """Return the declarations of the fields for the browser, in the order of the page.

    Each has `name`, `id`, `label`, `row` as in `SettingField`, and `kind` with what this kind needs.

    Raises:
        TypeError: There is no field for a kind of editor.
    """
    return [*_declared()]


def _declared() -> Iterator[Mapping[str, Any]]:
    for name in FORM_FIELDS:
        editor, row = _ROWS[name]
        # `play-stop` is the Stop button.
        elem_id = "play-stop-texts" if name == "stop" else f"play-{name.replace('_', '-')}"
        yield {"name": name, "id": elem_id, "label": editor.label, "row": row, **_kind(editor)}


def _kind(editor: FieldEditor) -> Mapping[str, Any]:
    match editor:
        case NumberRange():
            return {"kind": "number", "least": editor.least, "most": editor.most, "step": editor.step or 1}
        case ChoiceOption():
            return {"kind": "choice", "options": editor.options}
        case LinesEditor():
            return {"kind": "lines", "placeholder": editor.placeholder}
        case Switch():
            return {"kind": "switch"}
        case _:
            raise TypeError(f"no field for {editor.label!r}")
