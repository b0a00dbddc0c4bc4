"""What a person has chosen for a conversation: contract, tools, model, sampling."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.chat.json_value import JsonObject
from workbench.contract.compose import compose
from workbench.contract.contract import Contract, parse_contract
from workbench.rollout.held import TurnSetup
from workbench.rollout.ports import Sampling, parse_tool_choice
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The left column of the page, or the options of a verb, as one value."""

    contract_name: str
    """Name of the contract that the text came from."""
    contract_text: str
    """The contract's file text as edited: front matter, then the text with its placeholders."""
    tools_text: str
    """JSON array of tool specs as edited."""
    disabled_tools: frozenset[str] = frozenset()
    """Names of tools that are in the text and switched off."""
    model: str = "embedded"
    """As the `--model` option takes it."""
    tool_choice: str = "auto"
    """none, auto, required, or a tool's name."""
    sampling: Sampling = Sampling()
    """How tokens are chosen."""
    max_rounds: int = 8
    """Completions a turn may take."""
    wants_logprobs: bool = False
    """True: tokens are kept with their log-probabilities, where the engine can tell them."""
    is_constrained: bool = True
    """False: no grammar, so that a forced call is begun for the model and no more, and schemas hold nothing."""
    ephemeral: str = ""
    """A part of the system text that the model sees and no export holds; empty for none."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Values of the contract's variables; what is not named is as the contract says, what it does not declare
    counts for nothing."""

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
