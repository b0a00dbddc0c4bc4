"""Export a suite as an environment for reinforcement learning, with the prompts and tools of a run."""

from collections.abc import Mapping

from workbench.app.runs.suites import mocked_toolsets, offered_tools
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, Message, Role
from workbench.contract.compose import compose
from workbench.contract.contract import parse_contract
from workbench.hermes.openai_messages import to_messages
from workbench.records.sessions import SEPARATOR
from workbench.records.versions import name_in
from workbench.suite.case import Case, Suite
from workbench.suite.exchange.bfcl import ExportedSuite
from workbench.suite.exchange.environments import export_environment


def export_suite(
    services: Services, suite: Suite, target: str, *, contract: str = "", weights: Mapping[str, float]
) -> ExportedSuite:
    """Return the files of a package that a trainer installs.

    Args:
        target: A key of `workbench.suite.exchange.environments.TARGETS`.
        contract: Name of the contract of the prompts. Empty takes that of the settings.
        weights: Weights of the parts of the reward; see `workbench.suite.reward.RewardShape`.

    Raises:
        BadInput: The contract does not exist, or a tool of a case.
        StoreError: The versions cannot be read.
    """
    name = contract or services.settings.contract
    chosen = parse_contract(services.contract_version(name).text, name=name_in(name))
    date = services.today()

    def prompt_of(case: Case) -> list[JsonObject]:
        declared = {key: value for key, value in case.variables.items() if key in chosen.variables}
        tools = offered_tools(services.tools, case)
        text = compose(chosen, tools, variables={"date": date, **declared})
        system = SEPARATOR.join(filter(None, (text, case.system)))
        return to_messages(Conversation(messages=(Message(role=Role.SYSTEM, text=system), *case.messages)))

    return export_environment(
        suite,
        target,
        prompt_of=prompt_of,
        tools_of=lambda case: offered_tools(services.tools, case),
        toolsets_of=lambda case: mocked_toolsets(services.tools, case),
        family=chosen.family,
        shape=weights,
        most_rounds=services.settings.max_rounds,
    )
