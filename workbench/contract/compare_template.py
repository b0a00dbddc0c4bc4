"""A contract's prompt beside the one that the model's own template makes of the same conversation."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from workbench.chat.message import Conversation, Message, Role
from workbench.contract.compose import compose
from workbench.contract.contract import Contract
from workbench.errors import BadInput
from workbench.hermes.openai_messages import to_messages
from workbench.hermes.prompt import Prompt
from workbench.hermes.render import render
from workbench.hermes.templates.diff import PromptDifference, diff_prompts
from workbench.hermes.templates.template import ChatTemplate, TemplateInput, render_template
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two prompts of one conversation."""

    ours: Prompt
    """With the contract's system text, in its family's framing."""
    theirs: str | None
    """From the template, which writes the tools itself; None where it fails."""
    problem: str
    """Why the template fails; empty where it does not."""
    differences: tuple[PromptDifference, ...]
    """In order; empty where there are none, or nothing to compare with."""


def compare_with_template(
    contract: Contract,
    template: ChatTemplate,
    conversation: Conversation,
    tools: OfferedTools,
    *,
    variables: Mapping[str, str],
    now: datetime,
) -> Comparison:
    """Both prompts, the assistant's turn opened, and where they differ.

    Args:
        contract: What our prompt's system text is composed of.
        template: The model's own.
        conversation: Without a system message: the contract brings one, and so does the template.
        tools: What both are to offer.
        variables: As `compose` takes them.
        now: What the template is told of the time.

    Raises:
        BadInput: The contract cannot be composed; see `compose`.
    """
    system = Message(role=Role.SYSTEM, text=compose(contract, tools, variables=variables))
    whole = Conversation(messages=(system, *conversation.messages))
    ours = render(whole, family=contract.family, has_contract=True)
    given = TemplateInput(
        messages=to_messages(conversation),
        tools=[spec.document for spec in tools.specs] or None,
        generation_prompt=True,
        now=now,
    )
    try:
        theirs = render_template(template, given)
    except BadInput as error:
        return Comparison(ours=ours, theirs=None, problem=error.problem, differences=())
    return Comparison(ours=ours, theirs=theirs, problem="", differences=diff_prompts(ours.text, theirs))
