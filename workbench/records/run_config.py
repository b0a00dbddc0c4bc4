"""The configuration of a conversation: contract, tools, model and sampling."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.chat.json_value import JsonObject
from workbench.contract.compose import compose
from workbench.contract.contract import Contract, parse_contract, parse_variables, show_variables
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.ports import parse_tool_choice
from workbench.rollout.sampling import Sampling
from workbench.rollout.setting_field import LinesEditor, NumberRange, PlainEditor, Switch, setting
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """The left column of the page, or the options of a command, as one value."""

    contract_name: str = field(
        metadata=setting(PlainEditor("Contract"), "Name of the contract that the text is from")
    )
    contract_text: str = field(
        metadata=setting(
            PlainEditor("Contract text"),
            "The contract's file: front matter, then the system text with placeholders; an edited text is kept "
            "with the session, not in the file",
        )
    )
    tools_text: str = field(
        metadata=setting(
            PlainEditor("Tools as JSON"), "JSON array of tool specs; an edited one is kept with the session"
        )
    )
    disabled_tools: frozenset[str] = field(
        default=frozenset(),
        metadata=setting(
            PlainEditor("Tools that are switched on"),
            "A switch for each tool of the text; kept are the names of those that are off",
        ),
    )
    model: str = field(
        default="embedded",
        metadata=setting(PlainEditor("Model"), "Name of the model, as the --model option takes it"),
    )
    tool_choice: str = field(
        default="auto", metadata=setting(PlainEditor("Tool choice"), "none, auto, required, or a tool's name")
    )
    sampling: Sampling = Sampling()
    max_rounds: int = field(
        default=8, metadata=setting(NumberRange("Max rounds", 1, 100), "Most completions of a turn")
    )
    wants_logprobs: bool = field(
        default=False,
        metadata=setting(
            Switch("Keep each token's probability"), "Keep log-probabilities if the engine reports them"
        ),
    )
    is_constrained: bool = field(
        default=True,
        metadata=setting(
            Switch("Hold calls to the schemas"),
            "Constrain calls with a grammar; without it, a forced call is begun for the model and no more",
        ),
    )
    ephemeral: str = field(
        default="",
        metadata=setting(
            PlainEditor("Ephemeral part, never exported"), "Sent after the system text; no export has it"
        ),
    )
    variables: Mapping[str, str] = field(
        default_factory=dict[str, str],
        hash=False,
        metadata=setting(
            LinesEditor("Variables", "name = value", show_variables, parse_variables),
            "One a line, for variables that the contract declares; the others have the contract's values",
        ),
    )

    def contract(self) -> Contract:
        """The contract as edited.

        Raises:
            BadInput: Its front matter cannot be read.
        """
        return parse_contract(self.contract_text, name=self.contract_name)

    def offered_tools(self) -> OfferedTools:
        """The tools that are switched on, in order.

        Raises:
            BadInput: The text is not a JSON array of tool specs.
        """
        tools = parse_tools(self.tools_text)
        return tools.only(frozenset(tools.names) - self.disabled_tools)

    def system_text(self, *, date: str, are_tools_apart: bool = False) -> str:
        """The composed system text.

        Args:
            date: Today, as the contract's `{{ date }}` shows it.
            are_tools_apart: True where the model's server writes the tools, so that the contract must not.

        Raises:
            BadInput: The contract or the tools cannot be used.
        """
        contract = self.contract()
        given = {name: value for name, value in self.variables.items() if name in contract.variables}
        return compose(
            contract,
            self.offered_tools(),
            variables={"date": date, **given},
            are_tools_apart=are_tools_apart,
        )

    def turn_setup(self, *, answer_schema: JsonObject | None = None) -> TurnSetup:
        """What the loop needs to know.

        Args:
            answer_schema: JSON Schema that an answer is held to; None leaves answers free.

        Raises:
            BadInput: The contract, the tools or the tool choice cannot be used.
        """
        tools, contract = self.offered_tools(), self.contract()
        return TurnSetup(
            tools=tools,
            family=contract.family,
            contract_fingerprint=contract.fingerprint,
            sampling=self.sampling,
            tool_choice=parse_tool_choice(self.tool_choice, tools),
            max_rounds=self.max_rounds,
            answer_schema=answer_schema,
            wants_logprobs=self.wants_logprobs,
            is_constrained=self.is_constrained,
        )
