"""The Timing pane: how long the rounds of a turn took."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.setup import sampling_words
from workbench.ui.present.words import seconds

NO_TIMING_YET: Final = "Tokens and times of each round stand here."


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingFact:
    """A line below the table."""

    name: str
    value: str
    """How much, or which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedRound:
    """A row of the table."""

    cells: tuple[str, ...]
    is_selected: bool
    """True of the round that the other panes show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingView:
    """What the rounds of one turn took."""

    rounds: tuple[TimedRound, ...] = ()
    """In order."""
    columns: tuple[str, ...] = ("round", "prompt", "cached", "written", "first token", "tokens/s", "total")
    facts: tuple[TimingFact, ...] = ()
    hint: str = NO_TIMING_YET
    """Of the empty state."""


def show_timing(rounds: Sequence[ReadRound], one: ReadRound | None) -> TimingView:
    """The rounds of the turn that the round belongs to."""
    generation = one.kept.generation if one else None
    if one is None or generation is None:
        return TimingView()
    facts = (
        TimingFact(name="model", value=generation.engine_name),
        TimingFact(name="ended by", value=generation.finish_reason.value),
        TimingFact(name="tool choice", value=generation.tool_choice),
        TimingFact(name="prefill", value=json.dumps(generation.prefill) if generation.prefill else "none"),
        TimingFact(name="sampling", value=sampling_words(generation.sampling)),
    )
    turn = [other for other in rounds if other.turn == one.turn and other.kept.generation]
    return TimingView(rounds=tuple(_timed(other, is_selected=other is one) for other in turn), facts=facts)


def _timed(one: ReadRound, *, is_selected: bool) -> TimedRound:
    assert one.kept.generation is not None
    timing = one.kept.generation.timing
    speed = timing.tokens_per_second
    return TimedRound(
        cells=(
            str(one.number),
            f"{timing.prompt_tokens:,}",
            f"{timing.cached_tokens:,}",
            f"{timing.completion_tokens:,}",
            seconds(timing.time_to_first_token_s),
            f"{speed:.0f}" if speed else "–",
            seconds(timing.seconds),
        ),
        is_selected=is_selected,
    )
