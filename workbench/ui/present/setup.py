"""The left column: run configuration to fields and back, the composed system text, and the choices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.contract.contract import Contract
from workbench.records.run_config import RunConfig
from workbench.rollout.models import ModelStatus
from workbench.rollout.ports import ChoiceKind
from workbench.rollout.sampling import SAMPLING_FIELDS, Sampling
from workbench.rollout.setting_field import settings_of
from workbench.ui.present.text_spans import TextSpan, marked_pieces
from workbench.ui.present.words import count


def show_sampling(sampling: Sampling) -> dict[str, Any]:
    """What the fields hold, by name, in the order of the page."""
    return {name: declared.editor.show(getattr(sampling, name)) for name, declared in SAMPLING_FIELDS.items()}


def parse_sampling(shown: Mapping[str, object], where: str = "") -> Sampling:
    """The sampling of what fields hold.

    Args:
        shown: By name. A field that is left out has its default.
        where: Says more about the place, such as `"column B, "`.

    Raises:
        BadInput: A number is missing or out of its range, or a line of the biases cannot be read.
    """
    values = {name: SAMPLING_FIELDS[name].editor.parse(held, where) for name, held in shown.items()}
    return Sampling(**values)


def sampling_words(sampling: Sampling) -> str:
    """A sampling in a line: the fields that are always visible, and each other one that is not the default.

    >>> sampling_words(Sampling(min_p=0.2))
    'temperature 0, top_p 0.95, top_k 40, seed 0, at most 256 tokens, min_p 0.2'
    """
    shown, plain = show_sampling(sampling), show_sampling(Sampling())
    names = [
        name for name, declared in SAMPLING_FIELDS.items() if declared.row == 0 or shown[name] != plain[name]
    ]
    return ", ".join(_words(name, shown[name]) for name in names)


def _words(name: str, value: object) -> str:
    if name == "max_tokens" and isinstance(value, int):
        return f"at most {count(value, 'token')}"
    return f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"


UNTAUGHT_ADVICE: Final = (
    "The bare embedded model, 135M, calls a tool only when it must: tool choice 'required' makes it call first, "
    "then answer."
)


_OWN: Final = settings_of(RunConfig)
SETUP_FIELDS: Final = (
    "contract_name",
    "contract_text",
    "ephemeral",
    "variables",
    "tools_text",
    "disabled_tools",
    "model",
    "tool_choice",
    "is_constrained",
    "max_rounds",
    "wants_logprobs",
    *SAMPLING_FIELDS,
)
"""Names of the left column's fields, in the order in which they are wired."""


def setup_label(name: str) -> str:
    """The label of a field of the setup."""
    return _OWN[name].editor.label


def parse_setup(values: Iterable[object]) -> RunConfig:
    """The setup of what the fields hold.

    Args:
        values: In the order of `SETUP_FIELDS`.

    Raises:
        BadInput: A number is missing or out of its range, or the biases or the variables cannot be read.
    """
    shown = dict(zip(SETUP_FIELDS, values, strict=True))
    own = {name: _OWN[name].editor.parse(value) for name, value in shown.items() if name in _OWN}
    return RunConfig(**own, sampling=parse_sampling({name: shown[name] for name in SAMPLING_FIELDS}))


def show_setup(setup: RunConfig) -> dict[str, Any]:
    """What the fields hold, by name, in the order of `SETUP_FIELDS`."""
    shown = show_sampling(setup.sampling)
    shown |= {name: declared.editor.show(getattr(setup, name)) for name, declared in _OWN.items()}
    return {name: shown[name] for name in SETUP_FIELDS}


def tool_choices(enabled: Sequence[str]) -> list[str]:
    """What tool choice may be, while these tools are switched on."""
    kinds = [ChoiceKind.AUTO.value, ChoiceKind.REQUIRED.value, ChoiceKind.NONE.value]
    return [*kinds, *(name for name in enabled if name not in kinds)]


def kept_choice(choice: str, enabled: Sequence[str]) -> str:
    """The same choice where it is still there, else `auto`."""
    return choice if choice in tool_choices(enabled) else ChoiceKind.AUTO.value


def first_choice(model: ModelStatus) -> str:
    """The tool choice to begin with."""
    return ChoiceKind.AUTO.value if model.calls_freely else ChoiceKind.REQUIRED.value


def model_advice(model: ModelStatus, tool_choice: str) -> str:
    """A line on what to expect of the model; empty where there is nothing to say."""
    if model.calls_freely:
        return ""
    if tool_choice in (ChoiceKind.AUTO, ChoiceKind.NONE):
        return f"The bare embedded model will most likely not call a tool by itself; {tool_choice!r} lets it."
    return UNTAUGHT_ADVICE


def variables_label(contract: Contract) -> str:
    """What the field of the variables is called: which there are, and what they are where nothing is written."""
    declared = ", ".join(
        f"{name} ({value[:24]})" if value else name for name, value in contract.variables.items()
    )
    return f"Variables, one a line: {declared}" if declared else "Variables: the contract declares none"


def undeclared_advice(setup: RunConfig) -> str:
    """A line on variables that are given and that the contract does not know; empty where there are none."""
    unknown = ", ".join(name for name in setup.variables if name not in setup.contract().variables)
    return f"The contract declares no variable {unknown}." if unknown else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTextView:
    """The composed system text."""

    size: str
    """Characters and tokens."""
    pieces: tuple[TextSpan, ...]
    """The text, its marks told apart."""


def show_system_text(text: str, *, tokens: int | None) -> SystemTextView:
    """The text with its size; `tokens` is None while no model is loaded that could count."""
    size = count(len(text), "character")
    return SystemTextView(
        size=size if tokens is None else f"{size} · {count(tokens, 'token')}", pieces=marked_pieces(text)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderView:
    """The model's state, in the page's head."""

    text: str
    """Name, device, state."""
    is_loaded: bool
    """True once it can be asked."""
    is_busy: bool
    """True while it writes for this visitor."""


def show_header(name: str, device: str, *, is_loaded: bool, is_busy: bool) -> HeaderView:
    """One line on the model."""
    state = "writing" if is_busy else "ready" if is_loaded else "not loaded yet"
    return HeaderView(
        text=" · ".join(filter(None, (name, device, state))), is_loaded=is_loaded, is_busy=is_busy
    )
