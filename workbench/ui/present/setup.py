"""Convert run configurations to the fields of the Setup column and back, and show the system text."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.rollout.models import ModelStatus
from workbench.rollout.ports import ChoiceKind
from workbench.rollout.sampling import SAMPLING_FIELDS, Sampling
from workbench.rollout.setting_field import settings_of
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.present.model_servers import model_label
from workbench.ui.present.sampling_form import FORM_FIELDS, SamplingView
from workbench.ui.present.text_spans import TextSpan, marked_pieces
from workbench.ui.present.words import count


def show_sampling(sampling: Sampling) -> dict[str, Any]:
    """Return the values of the sampling fields by name, in the order of the page."""
    return {name: declared.editor.show(getattr(sampling, name)) for name, declared in SAMPLING_FIELDS.items()}


def parse_sampling(shown: Mapping[str, object], where: str = "") -> Sampling:
    """Parse the values of sampling fields.

    Args:
        shown: Values by field name. A missing field has its default.
        where: Prefix of the place in error messages, such as `"column B, "`.

    Raises:
        BadInput: A number is missing or out of range, or a line of the logit biases cannot be parsed.
    """
    values = {name: SAMPLING_FIELDS[name].editor.parse(value, where) for name, value in shown.items()}
    return Sampling(**values)


def sampling_words(sampling: Sampling) -> str:
    """Format a sampling as one line: the fields that are always visible, and others that are not the default.

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
    "Without its adapter, the embedded model calls a tool only when it has to. With tool choice 'required', it "
    "calls first and then answers."
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
    "sampling",
)
"""Names of the values of the Setup column, in the order in which they are wired. `sampling` is a `SamplingView`."""


def setup_label(name: str) -> str:
    """Return the label of a field of the Setup column."""
    return _OWN[name].editor.label


def parse_setup(values: Iterable[object]) -> RunConfig:
    """Parse the values of the Setup column.

    Args:
        values: Values in the order of `SETUP_FIELDS`.

    Raises:
        BadInput: A number is missing or out of range, or the biases or variables cannot be parsed.
    """
    shown = dict(zip(SETUP_FIELDS, values, strict=True))
    form = cast(SamplingView, shown.pop("sampling")).values
    shown |= {name: form.get(name) for name in FORM_FIELDS}
    own = {name: _OWN[name].editor.parse(value) for name, value in shown.items() if name in _OWN}
    return RunConfig(**own, sampling=parse_sampling({name: shown[name] for name in SAMPLING_FIELDS}))


def show_field(setup: RunConfig, name: str) -> Any:
    """Return the value of one of the setup's own fields, as the page shows it."""
    return _OWN[name].editor.show(getattr(setup, name))


def show_setup(setup: RunConfig) -> dict[str, Any]:
    """Return the values of the Setup column by name, in the order of `SETUP_FIELDS`."""
    shown = show_sampling(setup.sampling)
    shown |= {name: show_field(setup, name) for name in _OWN}
    shown["sampling"] = SamplingView(values={name: shown[name] for name in FORM_FIELDS})
    return {name: shown[name] for name in SETUP_FIELDS}


def tool_choices(enabled: Sequence[str]) -> list[str]:
    """Return the possible tool choices while these tools are enabled."""
    kinds = [ChoiceKind.AUTO.value, ChoiceKind.REQUIRED.value, ChoiceKind.NONE.value]
    return [*kinds, *(name for name in enabled if name not in kinds)]


def valid_choice(choice: str, enabled: Sequence[str]) -> str:
    """Return the tool choice if it is still possible, otherwise `auto`."""
    return choice if choice in tool_choices(enabled) else ChoiceKind.AUTO.value


def first_choice(model: ModelStatus) -> str:
    """Return the default tool choice for a model."""
    return ChoiceKind.AUTO.value if model.calls_freely else ChoiceKind.REQUIRED.value


def model_advice(model: ModelStatus, tool_choice: str) -> str:
    """Return a note about what to expect of the model, or an empty text."""
    if model.calls_freely:
        return ""
    if tool_choice in (ChoiceKind.AUTO, ChoiceKind.NONE):
        return (
            f"Without its adapter, the embedded model rarely calls a tool with tool choice {tool_choice!r}. "
            "Use 'required' to make it call one."
        )
    return UNTAUGHT_ADVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSwitchesView:
    """A switch for each tool. The browser keeps which tools are off."""

    names: tuple[str, ...] | None = None
    """The tools of the setup, or None to keep them."""
    disabled: tuple[str, ...] | None = None
    """The tools to switch off, all others on, or None to leave the switches as they are."""


ALL_ENABLED: Final = ToolSwitchesView(disabled=())
"""Switches all tools on."""


def show_switches(tools_text: str, disabled: Collection[str]) -> ToolSwitchesView:
    """Show the tools of a setup, some of them off. There is none if the text does not describe tools."""
    try:
        names: Sequence[str] = parse_tools(tools_text).names
    except BadInput:
        names = ()
    return ToolSwitchesView(names=tuple(names), disabled=tuple(name for name in names if name in disabled))


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTextView:
    """The composed system text with its size."""

    size: str
    """Number of characters and, if known, of tokens."""
    pieces: tuple[TextSpan, ...]
    """The text, with tags and special tokens as pieces of their own."""


def show_system_text(text: str, *, tokens: int | None) -> SystemTextView:
    """Show the system text with its size.

    Args:
        tokens: Number of tokens, or None if no model is loaded to count them.
    """
    size = count(len(text), "character")
    return SystemTextView(
        size=size if tokens is None else f"{size} · {count(tokens, 'token')}", pieces=marked_pieces(text)
    )


class Activity(StrEnum):
    """What the turn that a page shows is doing, in the words of the header."""

    NONE = ""
    WRITING = "writing"
    WAITING = "waiting for you"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderView:
    """The state of the model in the page header."""

    text: str
    """Name, device and state of the model."""
    label: str
    """A short name of the model, with its state."""
    is_loaded: bool
    """True once the model is loaded, or its server has answered."""
    is_busy: bool
    """True while the model writes for this user."""
    asks_servers: bool = False
    """True if a page that opens should ask the servers for their models."""


def show_header(model: ModelStatus, activity: Activity = Activity.NONE) -> HeaderView:
    """Show the state of the model. A model on a server is ready once the server has answered."""
    idle = "ready" if model.is_loaded else "not contacted" if model.is_remote else "not loaded"
    text = " · ".join(filter(None, (model.name, model.device, activity or idle)))
    label = " · ".join((model_label(model), activity or idle))
    return HeaderView(text=text, label=label, is_loaded=model.is_loaded, is_busy=activity is Activity.WRITING)
