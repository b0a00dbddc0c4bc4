"""The left column: fields to a Setup and back, the composed system text, what may be chosen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from workbench.contract.contract import Contract
from workbench.records.setup import Setup
from workbench.rollout.models import ModelStatus
from workbench.rollout.ports import ChoiceKind
from workbench.ui.present.contracts import read_variables
from workbench.ui.present.numbers import MAX_ROUNDS
from workbench.ui.present.pieces import Piece, marked_pieces
from workbench.ui.present.sampling import SamplingFields, sampling_fields, sampling_of
from workbench.ui.present.words import count

UNTAUGHT_ADVICE: Final = (
    "The bare embedded model, 135M, calls a tool only when it must: tool choice 'required' makes it call first, "
    "then answer."
)


class SetupFields(NamedTuple):
    """What stands in the left column's fields, in the order in which they are wired."""

    contract_name: str
    contract_text: str
    ephemeral: str
    variables: str
    tools_text: str
    disabled_tools: frozenset[str]
    model: str
    tool_choice: str
    is_constrained: bool
    max_rounds: int
    wants_logprobs: bool
    temperature: float
    top_p: float
    top_k: int
    seed: int
    max_tokens: int
    min_p: float
    typical_p: float
    repeat_penalty: float
    presence_penalty: float
    frequency_penalty: float
    penalty_last_tokens: int
    mirostat: int
    mirostat_tau: float
    mirostat_eta: float
    stop: str
    logit_bias: str

    @property
    def sampling(self) -> SamplingFields:
        """Those of the sampling."""
        return SamplingFields(*(getattr(self, name) for name in SamplingFields._fields))


def read_fields(values: Iterable[object]) -> SetupFields:
    """The fields as the page sends them.

    Raises:
        BadInput: A number is missing or out of its range, or the biases or the variables cannot be read.
    """
    fields = SetupFields._make(values)
    MAX_ROUNDS.read(fields.max_rounds)
    sampling_of(fields.sampling)
    read_variables(fields.variables)
    return fields


def setup_of(fields: SetupFields) -> Setup:
    """The fields as a setup.

    Raises:
        BadInput: As `read_fields`.
    """
    return Setup(
        contract_name=fields.contract_name,
        contract_text=fields.contract_text,
        ephemeral=fields.ephemeral,
        variables=read_variables(fields.variables),
        tools_text=fields.tools_text,
        disabled_tools=fields.disabled_tools,
        model=fields.model,
        tool_choice=fields.tool_choice,
        sampling=sampling_of(fields.sampling),
        max_rounds=MAX_ROUNDS.whole(fields.max_rounds),
        wants_logprobs=bool(fields.wants_logprobs),
        is_constrained=bool(fields.is_constrained),
    )


def fields_of(setup: Setup) -> SetupFields:
    """A setup as the fields show it."""
    return SetupFields(
        contract_name=setup.contract_name,
        contract_text=setup.contract_text,
        ephemeral=setup.ephemeral,
        variables="\n".join(f"{name} = {value}" for name, value in setup.variables.items()),
        tools_text=setup.tools_text,
        disabled_tools=setup.disabled_tools,
        model=setup.model,
        tool_choice=setup.tool_choice,
        max_rounds=setup.max_rounds,
        wants_logprobs=setup.wants_logprobs,
        is_constrained=setup.is_constrained,
        **sampling_fields(setup.sampling)._asdict(),
    )


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


def undeclared_advice(setup: Setup) -> str:
    """A line on variables that are given and that the contract does not know; empty where there are none."""
    unknown = ", ".join(name for name in setup.variables if name not in setup.contract().variables)
    return f"The contract declares no variable {unknown}." if unknown else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTextView:
    """The composed system text."""

    size: str
    """Characters and tokens."""
    pieces: tuple[Piece, ...]
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
