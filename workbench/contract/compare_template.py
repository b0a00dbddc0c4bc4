"""Compare a contract's prompt with the one that the model's own template renders for the same conversation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import accumulate
from typing import Final

from workbench.chat.finding import Span
from workbench.chat.message import Conversation, Message, Role
from workbench.chat.sequence_match import BoundedMatcher
from workbench.contract.compose import compose
from workbench.contract.contract import Contract
from workbench.errors import BadInput
from workbench.hermes.marks import ANY_MARK_XML
from workbench.hermes.openai_messages import to_messages
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.render import render
from workbench.hermes.templates.template import ChatTemplate, TemplateInput, render_template
from workbench.toolspec.spec import OfferedTools

_LINE_OR_BREAK: Final = re.compile(r"[^\n]+|\n")


class StretchChange(StrEnum):
    """How a stretch differs."""

    ONLY_OURS = "only ours"
    ONLY_THEIRS = "only theirs"
    OTHERWISE = "otherwise"


_CHANGES: Final = {
    "delete": StretchChange.ONLY_OURS,
    "insert": StretchChange.ONLY_THEIRS,
    "replace": StretchChange.OTHERWISE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDifference:
    """One stretch in which two prompts differ."""

    change: StretchChange
    ours: Span
    """In the contract's prompt; empty where it has nothing."""
    theirs: Span
    """In the template's prompt; empty where it has nothing."""
    has_mark: bool
    """True where a mark is among what differs: the model will notice."""


def diff_prompts(ours: str, theirs: str) -> tuple[PromptDifference, ...]:
    """All differences, in order; empty where the prompts are equal.

    Marks and lines are compared as wholes, so that a difference never cuts a mark.

    >>> [d.change.value for d in diff_prompts("<|im_start|>tool\\nx", "<|im_start|>user\\nx")]
    ['otherwise']
    """
    our_pieces, their_pieces = _pieces(ours), _pieces(theirs)
    our_places = [0, *accumulate(map(len, our_pieces))]
    their_places = [0, *accumulate(map(len, their_pieces))]
    # Its `autojunk` keeps thousands of line breaks from being compared each with each.
    matcher = BoundedMatcher(our_pieces, their_pieces)
    differences: list[PromptDifference] = []
    for kind, our_start, our_end, their_start, their_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        changed = our_pieces[our_start:our_end] + their_pieces[their_start:their_end]
        differences.append(
            PromptDifference(
                change=_CHANGES[kind],
                ours=Span(our_places[our_start], our_places[our_end]),
                theirs=Span(their_places[their_start], their_places[their_end]),
                has_mark=any(ANY_MARK_XML.fullmatch(piece) for piece in changed),
            )
        )
    return tuple(differences)


def _pieces(text: str) -> list[str]:
    """Marks, lines and line breaks, each a piece; together they are `text`."""
    pieces: list[str] = []
    position = 0
    for match in ANY_MARK_XML.finditer(text):
        pieces += _LINE_OR_BREAK.findall(text, position, match.start())
        pieces.append(match[0])
        position = match.end()
    return pieces + _LINE_OR_BREAK.findall(text, position)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptComparison:
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
) -> PromptComparison:
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
        return PromptComparison(ours=ours, theirs=None, problem=error.problem, differences=())
    return PromptComparison(ours=ours, theirs=theirs, problem="", differences=diff_prompts(ours.text, theirs))
