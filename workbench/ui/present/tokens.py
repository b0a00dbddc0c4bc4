"""Show the Tokens pane: prompt and completion token by token, and how full the context is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

from workbench.app.token_sheet import SheetToken, TokenSheet, sheet_tokens
from workbench.chat.figures import figure
from workbench.rollout.ports import EmittedToken
from workbench.trajectory.mask import Token
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.decision import format_probability
from workbench.ui.present.raw import RawSection
from workbench.ui.present.words import count

NOTHING: Final = "No completion yet. Send a message first."
MOST_TOKENS: Final = 4000
"""A section shows this many tokens, and only the number of the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCell:
    """One token."""

    id: int
    """The token id in the vocabulary, or -1 if it is unknown."""
    text: str
    """The text of the token. Empty if the token ends within a character."""
    note: str = ""
    """Logprob and probability. Empty if they are unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSection:
    """One message of the prompt, or the completion."""

    label: str
    """The same label as in the raw pane."""
    role: str
    token_count: int
    cells: tuple[TokenCell, ...]
    """The first tokens, `MOST_TOKENS` at most."""
    is_open: bool
    """True for the completion. The sections of the prompt are collapsed at first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensView:
    """The contents of the Tokens pane."""

    message_id: str = ""
    """The completion with these tokens. Empty if there is none."""
    is_known: bool = False
    """False if the tokens have not been loaded. The pane loads them once it is visible."""
    hint: str = NOTHING
    """Shown if there are no tokens to show."""
    sections: tuple[TokenSection, ...] = ()
    gauge: str = ""
    """How full the context is, as text."""
    context_tokens: int = 0
    """Size of the context in tokens, or 0 if it is unknown."""
    note: str = ""
    """Which vocabulary the tokens are from, and whether they are exact."""
    can_compute_logprobs: bool = False
    """True if the logprobs of the completion are unknown and can be computed."""


def ask_tokens(read_round: ReadRound | None) -> TokensView:
    """Show the pane for a round before its tokens are loaded."""
    if read_round is None:
        return TokensView()
    return TokensView(message_id=read_round.stored.id, hint="")


def show_tokens(
    read_round: ReadRound,
    sheet: TokenSheet,
    prompt: Sequence[RawSection],
    scored: Sequence[EmittedToken] | None = None,
) -> TokensView:
    """Show the tokens of a round.

    Args:
        sheet: The tokens of the round.
        prompt: The sections of the prompt, as in the raw pane.
        scored: The tokens of the completion with computed logprobs, or None if they were not computed.
    """
    completion = sheet.completion
    if scored is not None:
        completion = tuple(
            SheetToken(id=token.id, text=token.text, logprob=token.logprob) for token in scored
        )
    sections = (*_prompt_sections(sheet.prompt, prompt), _section("completion", "completion", completion))
    used = sum(section.token_count for section in sections)
    return TokensView(
        message_id=read_round.stored.id,
        is_known=True,
        hint="",
        sections=sections,
        gauge=f"{used:,} of {count(sheet.context_tokens, 'token')} · {sheet.context_tokens - used:,} left",
        context_tokens=sheet.context_tokens,
        note=_note(sheet, has_computed_logprobs=scored is not None),
        can_compute_logprobs=all(token.logprob is None for token in completion),
    )


def show_reported_tokens(read_round: ReadRound, reason: str) -> TokensView:
    """Show the tokens that the server reported with the completion, if any.

    Used if the engine has no tokenizer.

    Args:
        reason: Why the tokens cannot be computed.
    """
    generation = read_round.stored.generation
    reported = tuple(
        SheetToken(id=token.id, text=token.text, logprob=token.logprob)
        for token in (generation.tokens if generation else None) or ()
    )
    timing = generation.timing if generation else None
    sizes = (
        f"The server counted {count(timing.prompt_tokens, 'token')} in, {figure(timing.completion_tokens)} out."
        if timing and timing.prompt_tokens
        else ""
    )
    return TokensView(
        message_id=read_round.stored.id,
        is_known=True,
        hint=" ".join(filter(None, (reason, sizes))),
        sections=(_section("completion", "completion", reported),) if reported else (),
        note="These tokens were reported by the server. The tokens of the prompt are unknown."
        if reported
        else "",
    )


def _note(sheet: TokenSheet, *, has_computed_logprobs: bool) -> str:
    note = f"Exact: the vocabulary is that of {sheet.model!r}, which wrote the completion."
    if not sheet.is_writer:
        note = f"Estimate: the vocabulary is that of {sheet.model!r}, but another model wrote the completion."
    is_original = sheet.is_as_written or has_computed_logprobs
    return note if is_original else f"{note} The completion was tokenized again from its text."


def _prompt_sections(tokens: Sequence[Token], prompt: Sequence[RawSection]) -> list[TokenSection]:
    """Distribute the tokens of the prompt over its sections. A token belongs to the section in which it starts."""
    sections: list[TokenSection] = []
    position, start = 0, 0
    for section in prompt:
        text = "".join(piece.text for piece in section.pieces)
        section_tokens: list[Token] = []
        while position < len(tokens) and tokens[position].span.start < start + len(text):
            section_tokens.append(tokens[position])
            position += 1
        sections.append(
            _section(section.label, section.role, sheet_tokens(section_tokens, text, start=start))
        )
        start += len(text)
    return sections


def _section(label: str, role: str, tokens: Sequence[SheetToken]) -> TokenSection:
    return TokenSection(
        label=label,
        role=role,
        token_count=len(tokens),
        cells=tuple(map(_cell, tokens[:MOST_TOKENS])),
        is_open=role == "completion",
    )


def _cell(token: SheetToken) -> TokenCell:
    if token.logprob is None:
        return TokenCell(id=token.id, text=token.text)
    note = f"logprob {token.logprob:.3f} · {format_probability(exp(token.logprob))}"
    return TokenCell(id=token.id, text=token.text, note=note)
