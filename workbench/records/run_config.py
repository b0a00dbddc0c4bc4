"""The settings of a conversation: contract, tools, model and sampling."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.chat.json_value import JsonObject
from workbench.contract.compose import compose
from workbench.contract.contract import Contract, parse_contract, parse_variables, show_variables
from workbench.records.versions import name_in
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.ports import parse_tool_choice
from workbench.rollout.sampling import Sampling
from workbench.rollout.setting_field import LinesEditor, NumberRange, PlainEditor, Switch, setting
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """The settings of a conversation: the left column of the page, or the options of a command."""

    contract_name: str = field(
        metadata=setting(PlainEditor("Contract"), "Name of the contract that the text is from")
    )
    contract_text: str = field(
        metadata=setting(
            PlainEditor("Contract text"),
            "The contract's file: front matter, then the system text with placeholders; edits are saved with "
            "the session, not in the file",
        )
    )
    tools_text: str = field(
        metadata=setting(
            PlainEditor("Tools as JSON"), "JSON array of tool specs; edits are saved with the session"
        )
    )
    disabled_tools: frozenset[str] = field(
        default=frozenset(),
        metadata=setting(
            PlainEditor("Enabled tools"),
            "One switch per tool; the session stores the names of the disabled tools",
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
        default=8,
        metadata=setting(NumberRange("Max rounds", 1, 100), "Maximum number of completions per turn"),
    )
    wants_logprobs: bool = field(
        default=False,
        metadata=setting(
            Switch("Store token probabilities"), "Store log-probabilities if the engine reports them"
        ),
    )
    is_constrained: bool = field(
        default=True,
        metadata=setting(
            Switch("Constrain calls with the schemas"),
            "Constrain calls with a grammar; otherwise, only the beginning of a forced call is given",
        ),
    )
    ephemeral: str = field(
        default="",
        metadata=setting(
            PlainEditor("Ephemeral part, never exported"),
            "Sent after the system text; not part of any export",
        ),
    )
    variables: Mapping[str, str] = field(
        default_factory=dict[str, str],
        hash=False,
        metadata=setting(
            LinesEditor("Variables", "name = value", show_variables, parse_variables),
            "One per line, for variables that the contract declares; the others keep the contract's values",
        ),
    )

    def contract(self) -> Contract:
        """Parse the contract, with its edits.

        Raises:
            BadInput: Its front matter cannot be read.
        """
        return parse_contract(self.contract_text, name=name_in(self.contract_name))

    def offered_tools(self) -> OfferedTools:
        """Return the enabled tools, in order.

        Raises:
            BadInput: The text is not a JSON array of tool specs.
        """
        tools = parse_tools(self.tools_text)
        return tools.only(frozenset(tools.names) - self.disabled_tools)

    def parsed(self) -> "ParsedSetup":
        """Parse the contract and the tools.

        Raises:
            BadInput: One of them cannot be read.
        """
        return ParsedSetup(config=self, contract=self.contract(), tools=self.offered_tools())


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSetup:
    """The settings of a conversation, with the contract and the enabled tools that their texts describe."""

    config: RunConfig
    contract: Contract
    tools: OfferedTools

    def system_text(self, *, date: str, are_tools_apart: bool = False) -> str:
        """Compose the system text.

        Args:
            date: Today's date, for the contract's `{{ date }}`.
            are_tools_apart: True if the model's server adds the tools, so that the contract must not.

        Raises:
            BadInput: The contract uses a variable that has no value.
        """
        declared = self.contract.variables
        given = {name: value for name, value in self.config.variables.items() if name in declared}
        variables = {"date": date, **given}
        return compose(self.contract, self.tools, variables=variables, are_tools_apart=are_tools_apart)

    def turn_setup(self, *, answer_schema: JsonObject | None = None) -> TurnSetup:
        """Return the settings that a turn needs.

        Args:
            answer_schema: JSON Schema that constrains answers; None for free answers.

        Raises:
            BadInput: The tool choice names a tool that is not offered.
        """
        config = self.config
        return TurnSetup(
            tools=self.tools,
            family=self.contract.family,
            contract_fingerprint=self.contract.fingerprint,
            sampling=config.sampling,
            tool_choice=parse_tool_choice(config.tool_choice, self.tools),
            max_rounds=config.max_rounds,
            answer_schema=answer_schema,
            wants_logprobs=config.wants_logprobs,
            is_constrained=config.is_constrained,
        )
