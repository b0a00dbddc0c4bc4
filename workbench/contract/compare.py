"""A contract's prompt beside that of a model's own template."""

from datetime import datetime
from typing import NamedTuple

from workbench.contract.compose import compose
from workbench.contract.contract import Contract
from workbench.errors import BadInput
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.render import render
from workbench.hermes.template import ChatTemplate
from workbench.hermes.template_bench import WHOLE, Bench, said, tool
from workbench.hermes.template_diff import PromptDifference, diff_prompts
from workbench.toolspec.spec import OfferedTools, ToolSpec


class ComparedPrompts(NamedTuple):
    """Two prompts of one conversation."""

    ours: str
    """The contract's."""
    theirs: str
    """The template's."""
    differences: tuple[PromptDifference, ...]
    """In order; empty where the prompts are equal."""


def compare_with_template(contract: Contract, template: ChatTemplate, *, now: datetime) -> ComparedPrompts:
    """Both prompts of a question, a call, its result and an answer, with one tool.

    The template is given the same tool, and no system text: what it says of tools stands against what the
    contract says.

    Raises:
        BadInput: The contract cannot be composed, or the template cannot render a call.
    """
    spec = tool()
    tools = OfferedTools(specs=(ToolSpec(document=spec),))
    system = compose(contract, tools, variables={"date": now.date().isoformat()})
    conversation = parse_messages((said("system", system), *WHOLE)).conversation
    ours = render(conversation, family=contract.family, has_contract=True).text
    theirs = Bench(template=template, now=now).render(WHOLE, tools=[spec], generation_prompt=True)
    if theirs.text is None:
        raise BadInput(
            "template", f"it cannot render a call: {theirs.problem}", "there is nothing to compare"
        )
    return ComparedPrompts(ours, theirs.text, diff_prompts(ours, theirs.text))
