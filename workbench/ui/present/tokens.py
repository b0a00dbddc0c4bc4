"""The Tokens pane: prompt and completion token by token, and how full the context is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

from workbench.app.token_sheet import SheetToken, TokenSheet, sheet_tokens
from workbench.rollout.ports import EmittedToken
from workbench.trajectory.mask import Token
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.decision import probability
from workbench.ui.present.raw import RawSection
from workbench.ui.present.words import count

NOTHING: Final = "Nothing was written yet: send a message first."
MOST_TOKENS: Final = 4000
"""A section shows this many; of the others it tells the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCell:
    """One token."""

    id: int
    """Its number in the vocabulary; -1 where it is not known."""
    text: str
    """Byte for byte; empty where it ends within a character."""
    note: str = ""
    """Log-probability and probability; empty where they are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSection:
    """One message of the prompt, or the completion."""

    label: str
    """As the margin of the raw pane says it."""
    role: str
    token_count: int
    cells: tuple[TokenCell, ...]
    """In order, `MOST_TOKENS` at most."""
    is_open: bool
    """True of the completion; the prompt's sections are folded at first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensView:
    """All that the pane shows."""

    message_id: str = ""
    """The completion whose tokens they are; empty where there is none."""
    is_known: bool = False
    """False: the pane asks for them once it is seen."""
    hint: str = NOTHING
    """Said where there are none to show."""
    sections: tuple[TokenSection, ...] = ()
    """In order."""
    gauge: str = ""
    """How full the context is, in words."""
    context_tokens: int = 0
    """Room for prompt and completion; 0 where it is not known."""
    note: str = ""
    """Whose vocabulary, and how sure."""
    can_weigh: bool = False
    """True where the completion's log-probabilities are not known, and the model may be asked."""


def ask_tokens(one: ReadRound | None) -> TokensView:
    """The pane for a round whose tokens nobody has looked at yet."""
    if one is None:
        return TokensView()
    return TokensView(message_id=one.kept.id, hint="")


def show_tokens(
    one: ReadRound,
    sheet: TokenSheet,
    prompt: Sequence[RawSection],
    weighed: Sequence[EmittedToken] | None = None,
) -> TokensView:
    """The pane for a round.

    Args:
        sheet: Its tokens.
        prompt: The prompt's sections as the raw pane has them.
        weighed: The completion's tokens as the model weighed them; None where it was not asked.
    """
    written = sheet.completion
    if weighed is not None:
        written = tuple(SheetToken(id=one.id, text=one.text, logprob=one.logprob) for one in weighed)
    sections = (*_prompt_sections(sheet.prompt, prompt), _section("completion", "completion", written))
    used = sum(section.token_count for section in sections)
    return TokensView(
        message_id=one.kept.id,
        is_known=True,
        hint="",
        sections=sections,
        gauge=f"{used:,} of {count(sheet.context_tokens, 'token')} · {sheet.context_tokens - used:,} left",
        context_tokens=sheet.context_tokens,
        note=_note(sheet, is_weighed=weighed is not None),
        can_weigh=all(token.logprob is None for token in written),
    )


def show_told_tokens(one: ReadRound, reason: str) -> TokensView:
    """The pane where the engine cannot make tokens: what it told of the completion while it wrote, if it did."""
    made = one.kept.generation
    told = tuple(
        SheetToken(id=token.id, text=token.text, logprob=token.logprob)
        for token in (made.tokens if made else None) or ()
    )
    timing = made.timing if made else None
    sizes = (
        f"Its server counted {count(timing.prompt_tokens, 'token')} in, {timing.completion_tokens:,} out."
        if timing and timing.prompt_tokens
        else ""
    )
    return TokensView(
        message_id=one.kept.id,
        is_known=True,
        hint=" ".join(filter(None, (reason, sizes))),
        sections=(_section("completion", "completion", told),) if told else (),
        note="The completion's tokens as the server told them; the prompt's are not known." if told else "",
    )


def _note(sheet: TokenSheet, *, is_weighed: bool) -> str:
    whose = f"exact: the vocabulary of {sheet.model!r}, which wrote it"
    if not sheet.is_writer:
        whose = f"an estimate: the vocabulary of {sheet.model!r}, and another model wrote it"
    made = "" if sheet.is_as_written or is_weighed else "; the completion is cut anew from its text"
    return whose + made


def _prompt_sections(tokens: Sequence[Token], prompt: Sequence[RawSection]) -> list[TokenSection]:
    """The prompt's tokens, each in the section where it begins."""
    found: list[TokenSection] = []
    position, start = 0, 0
    for section in prompt:
        text = "".join(piece.text for piece in section.pieces)
        own: list[Token] = []
        while position < len(tokens) and tokens[position].span.start < start + len(text):
            own.append(tokens[position])
            position += 1
        found.append(_section(section.label, section.role, sheet_tokens(own, text, start=start)))
        start += len(text)
    return found


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
    note = f"log-probability {token.logprob:.3f} · {probability(exp(token.logprob))}"
    return TokenCell(id=token.id, text=token.text, note=note)
