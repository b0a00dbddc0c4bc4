"""The Decision pane: how the answer might have begun, and the probability of each token."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

from workbench.app.token_sheet import CompletionLogprobs
from workbench.rollout.logprobs import DecisionBar
from workbench.rollout.ports import EmittedToken
from workbench.ui.present.conversation import ReadRound

WARMTHS: Final = (0.9, 0.5, 0.2, 0.05)
"""A token less likely than each of these is one step hotter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionBarRow:
    """One way to begin the answer."""

    label: str
    """The tool's name, or what else it is."""
    share: float
    """Its probability, from 0 to 1."""
    value: str
    is_chosen: bool
    """True of what the answer began with."""
    is_tool: bool
    """False for what is no offered tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatToken:
    """One token of the completion."""

    text: str
    """What it added; white space stays as it is."""
    warmth: int
    """0 where it was nearly certain, 4 where it was a surprise; -1 where it is not known."""
    title: str
    """Number, probability and log-probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView:
    """All that the pane shows."""

    hint: str = "Nothing was written yet: send a message first."
    """Said where there is nothing to show."""
    message_id: str = ""
    """The completion that can be weighed; empty where there is none."""
    note: str = ""
    bars: tuple[DecisionBarRow, ...] = ()
    """The likeliest first, what is no tool behind; empty before it was weighed."""
    heat: tuple[HeatToken, ...] = ()
    """The completion's tokens; empty where they are not known."""
    picked: str = ""
    """The tool of the call that is picked elsewhere; empty for none."""


def show_decision(one: ReadRound | None, *, call: int | None = None) -> DecisionView:
    """The pane for a round before it is weighed: the heat of what was kept with it.

    Args:
        one: The round; None where there is none yet.
        call: The call of its reading that is picked elsewhere; None for none.
    """
    if one is None or one.kept.generation is None:
        return DecisionView()
    kept = one.kept.generation.tokens or ()
    calls = one.reading.calls
    return DecisionView(
        hint="How likely was each tool, and an answer without a call? The model says it from its own logits.",
        message_id=one.kept.id,
        heat=_heat(kept),
        picked=calls[call].name if call is not None and call < len(calls) else "",
    )


def show_logprobs(one: ReadRound, weighed: CompletionLogprobs) -> DecisionView:
    """The pane for a round that was weighed."""
    chosen = one.reading.calls[0].name if one.reading.calls else None
    decision = weighed.decision
    tools = sorted(decision.tools, key=lambda bar: -bar.logprob)
    known = {bar.tool for bar in tools}
    rows = [_bar(bar.tool or "", bar, is_chosen=bar.tool == chosen, is_tool=True) for bar in tools]
    rows.append(_bar("no call", decision.no_call, is_chosen=chosen is None, is_tool=False))
    is_other = chosen is not None and chosen not in known
    rows.append(_bar("another name", decision.other_name, is_chosen=is_other, is_tool=False))
    return DecisionView(
        hint="",
        message_id=one.kept.id,
        note=_note(one, weighed),
        bars=tuple(rows),
        heat=_heat(weighed.tokens),
    )


def _note(one: ReadRound, weighed: CompletionLogprobs) -> str:
    made = one.kept.generation
    told = "Where the answer begins, before any tool choice."
    if made is not None and made.prefill:
        told = f"Where the answer begins, had tool choice {made.tool_choice!r} not begun it."
    return told if weighed.is_writer else f"{told} Asked of another model than the one that wrote it."


def _bar(label: str, bar: DecisionBar, *, is_chosen: bool, is_tool: bool) -> DecisionBarRow:
    return DecisionBarRow(
        label=label,
        share=bar.probability,
        value=probability(bar.probability),
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
    title = f"token {token.id} · {probability(share)} · logprob {token.logprob:.2f}"
    return HeatToken(text=token.text, warmth=warmth, title=title)


def probability(share: float) -> str:
    """A probability as people read it.

    >>> probability(0.934), probability(0.0004), probability(2e-7), probability(0.99996)
    ('93.4 %', '0.04 %', '< 0.0001 %', '> 99.9 %')
    """
    percent = share * 100
    if percent > 99.95:
        return "> 99.9 %"
    if percent >= 1:
        return f"{percent:.1f} %"
    return f"{percent:.4f}".rstrip("0") + " %" if percent >= 0.0001 else "< 0.0001 %"
