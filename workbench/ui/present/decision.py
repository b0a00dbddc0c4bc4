"""Show the Decision pane: possible starts of the answer, and the probability of each token."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

from workbench.app.token_sheet import CompletionLogprobs
from workbench.rollout.logprobs import DecisionBar
from workbench.rollout.ports import EmittedToken
from workbench.ui.present.conversation import ReadRound

WARMTHS: Final = (0.9, 0.5, 0.2, 0.05)
"""Limits of the heat map. For each limit that a token's probability is below, it is one step hotter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionBarRow:
    """One possible start of the answer."""

    label: str
    """The name of the tool, `any call`, `no call` or `another name`."""
    share: float
    """The probability, from 0 to 1."""
    value: str
    is_chosen: bool
    """True for the actual start of the answer."""
    is_tool: bool
    """False for `any call`, `no call` and `another name`."""
    threshold: float = 0.0
    """The probability from which this start is chosen. 0 without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatToken:
    """One token of the completion."""

    text: str
    """The text that the token added, with its whitespace."""
    warmth: int
    """From 0 (nearly certain) to 4 (very unlikely). -1 if the probability is unknown."""
    title: str
    """Token id, probability and logprob."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView:
    """The contents of the Decision pane."""

    hint: str = "No completion yet. Send a message first."
    """Shown if there is nothing else to show."""
    message_id: str = ""
    """The completion whose probabilities can be computed. Empty if there is none."""
    note: str = ""
    bars: tuple[DecisionBarRow, ...] = ()
    """All calls together if a call threshold applies, tools by falling probability, then the other starts. Empty until
    the probabilities are computed."""
    heat: tuple[HeatToken, ...] = ()
    """The tokens of the completion. Empty if they are unknown."""
    picked: str = ""
    """The tool of the call that is selected in another pane. Empty if none is."""


def show_decision(read_round: ReadRound | None, *, call: int | None = None) -> DecisionView:
    """Show the pane before the probabilities are computed, with the stored logprobs of the tokens.

    Args:
        read_round: The round, or None if there is none yet.
        call: Index of the call that is selected in another pane, or None.
    """
    if read_round is None or read_round.stored.generation is None:
        return DecisionView()
    tokens = read_round.stored.generation.tokens or ()
    calls = read_round.reading.calls
    return DecisionView(
        hint="See how likely each tool was, and an answer without a call, according to the model's logits.",
        message_id=read_round.stored.id,
        heat=_heat(tokens),
        picked=calls[call].name if call is not None and call < len(calls) else "",
    )


def show_logprobs(read_round: ReadRound, logprobs: CompletionLogprobs) -> DecisionView:
    """Show the pane with the computed probabilities."""
    chosen = read_round.reading.calls[0].name if read_round.reading.calls else None
    decision = logprobs.decision
    tools = sorted(decision.tools, key=lambda bar: -bar.logprob)
    known = {bar.tool for bar in tools}
    rows = [_any_call(logprobs)] if logprobs.call_threshold > 0 else []
    rows += [_bar(bar.tool or "", bar, is_chosen=bar.tool == chosen, is_tool=True) for bar in tools]
    rows.append(_bar("no call", decision.no_call, is_chosen=chosen is None, is_tool=False))
    is_other = chosen is not None and chosen not in known
    rows.append(_bar("another name", decision.other_name, is_chosen=is_other, is_tool=False))
    return DecisionView(
        hint="",
        message_id=read_round.stored.id,
        note=_note(read_round, logprobs),
        bars=tuple(rows),
        heat=_heat(logprobs.tokens),
    )


def _any_call(logprobs: CompletionLogprobs) -> DecisionBarRow:
    share = 1 - logprobs.decision.no_call.probability
    return DecisionBarRow(
        label="any call",
        share=share,
        value=format_probability(share),
        is_chosen=False,
        is_tool=False,
        threshold=logprobs.call_threshold,
    )


def _note(read_round: ReadRound, logprobs: CompletionLogprobs) -> str:
    generation = read_round.stored.generation
    note = "Probabilities at the start of the answer, before any tool choice applies."
    if generation is not None and generation.prefill:
        note = (
            "Probabilities at the start of the answer, without the prefill of tool choice "
            f"{generation.tool_choice!r}."
        )
    if logprobs.call_threshold > 0:
        note += f" Call threshold: the answer begins with a call from {format_probability(logprobs.call_threshold)}."
    return note if logprobs.is_writer else f"{note} Computed by a different model than the one that wrote it."


def _bar(label: str, bar: DecisionBar, *, is_chosen: bool, is_tool: bool) -> DecisionBarRow:
    return DecisionBarRow(
        label=label,
        share=bar.probability,
        value=format_probability(bar.probability),
        is_chosen=is_chosen,
        is_tool=is_tool,
    )


def _heat(tokens: Sequence[EmittedToken]) -> tuple[HeatToken, ...]:
    return tuple(_token(token) for token in tokens if token.text)


def _token(token: EmittedToken) -> HeatToken:
    if token.logprob is None:
        return HeatToken(text=token.text, warmth=-1, title=f"token {token.id}")
    share = exp(token.logprob)
    warmth = sum(share < limit for limit in WARMTHS)
    title = f"token {token.id} · {format_probability(share)} · logprob {token.logprob:.2f}"
    return HeatToken(text=token.text, warmth=warmth, title=title)


def format_probability(share: float) -> str:
    """Format a probability as a percentage.

    >>> format_probability(0.934), format_probability(0.0004), format_probability(2e-7), format_probability(0.99996)
    ('93.4 %', '0.04 %', '< 0.0001 %', '> 99.9 %')
    """
    percent = share * 100
    if percent > 99.95:
        return "> 99.9 %"
    if percent >= 1:
        return f"{percent:.1f} %"
    return f"{percent:.4f}".rstrip("0") + " %" if percent >= 0.0001 else "< 0.0001 %"
