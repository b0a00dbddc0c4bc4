"""Compare the prompt of a contract with the prompt that a model's own chat template renders."""

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


class DifferenceKind(StrEnum):
    """Which of two prompts has text at a place where they differ."""

    ONLY_OURS = "only ours"
    ONLY_THEIRS = "only theirs"
    OTHERWISE = "otherwise"


_CHANGES: Final = {
    "delete": DifferenceKind.ONLY_OURS,
    "insert": DifferenceKind.ONLY_THEIRS,
    "replace": DifferenceKind.OTHERWISE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDifference:
    """One place where two prompts differ."""

    change: DifferenceKind
    ours: Span
    """Text in the contract's prompt; may be empty."""
    theirs: Span
    """Text in the template's prompt; may be empty."""
    has_mark: bool
    """True if either text contains a special token or a tag. A model is likely to notice such a difference."""


def diff_prompts(ours: str, theirs: str) -> tuple[PromptDifference, ...]:
    """Return all differences, in the order of the text.

    Special tokens, tags and lines are compared as units, so a difference never splits a tag.

    >>> [d.change.value for d in diff_prompts("<|im_start|>tool\\nx", "<|im_start|>user\\nx")]
    ['otherwise']
    """
    our_pieces, their_pieces = _pieces(ours), _pieces(theirs)
    our_offsets = [0, *accumulate(map(len, our_pieces))]
    their_offsets = [0, *accumulate(map(len, their_pieces))]
    # Its `autojunk` avoids comparing each of thousands of line breaks with every other one.
    matcher = BoundedMatcher(our_pieces, their_pieces)
    differences: list[PromptDifference] = []
    for kind, our_start, our_end, their_start, their_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        changed = our_pieces[our_start:our_end] + their_pieces[their_start:their_end]
        differences.append(
            PromptDifference(
                change=_CHANGES[kind],
                ours=Span(our_offsets[our_start], our_offsets[our_end]),
                theirs=Span(their_offsets[their_start], their_offsets[their_end]),
                has_mark=any(ANY_MARK_XML.fullmatch(piece) for piece in changed),
            )
        )
    return tuple(differences)


def _pieces(text: str) -> list[str]:
    """Split `text` into special tokens, tags, lines and line breaks. Joined, they are `text` again."""
    pieces: list[str] = []
    position = 0
    for match in ANY_MARK_XML.finditer(text):
        pieces += _LINE_OR_BREAK.findall(text, position, match.start())
        pieces.append(match[0])
        position = match.end()
    return pieces + _LINE_OR_BREAK.findall(text, position)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptComparison:
    """Two prompts of the same conversation."""

    ours: Prompt
    """Rendered by us, with the contract's system text and in the format of its family."""
    theirs: str | None
    """Rendered by the chat template, which writes the tools itself; None if it failed."""
    problem: str
    """Why the template failed. Empty if it did not."""
    differences: tuple[PromptDifference, ...]
    """In the order of the text. Also empty if the template failed."""


def compare_with_template(
    contract: Contract,
    template: ChatTemplate,
    conversation: Conversation,
    tools: OfferedTools,
    *,
    variables: Mapping[str, str],
    now: datetime,
) -> PromptComparison:
    """Render a conversation with a contract and with a chat template, and compare the prompts.

    Both prompts end where the assistant's turn begins.

    Args:
        contract: Provides the system text of our prompt.
        template: The model's own chat template.
        conversation: Without a system message, because contract and template each add one.
        tools: Tools that both prompts offer.
        variables: Values for the contract; see `compose`.
        now: Current time, for templates that print it.

    Raises:
        BadInput: The contract cannot be composed; see `compose`.
    """
    system = Message(role=Role.SYSTEM, text=compose(contract, tools, variables=variables))
    with_system = Conversation(messages=(system, *conversation.messages))
    ours = render(with_system, family=contract.family, has_contract=True)
    template_input = TemplateInput(
        messages=to_messages(conversation),
        tools=[spec.document for spec in tools.specs] or None,
        generation_prompt=True,
        now=now,
    )
    try:
        theirs = render_template(template, template_input)
    except BadInput as error:
        return PromptComparison(ours=ours, theirs=None, problem=error.problem, differences=())
    return PromptComparison(ours=ours, theirs=theirs, problem="", differences=diff_prompts(ours.text, theirs))
