"""Show the Timing pane: how long the rounds of a turn took."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.figures import figure
from workbench.rollout.events import speed_text
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.setup import sampling_words
from workbench.ui.present.words import seconds

NO_TIMING_YET: Final = "The tokens and times of each round appear here."


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingFact:
    """A line below the table."""

    name: str
    value: str
    """The value as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedRound:
    """A row of the table."""

    cells: tuple[str, ...]
    is_selected: bool
    """True for the round that the other panes show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingView:
    """The times and tokens of the rounds of one turn."""

    rounds: tuple[TimedRound, ...] = ()
    columns: tuple[str, ...] = ("round", "prompt", "cached", "completion", "first token", "tokens/s", "total")
    facts: tuple[TimingFact, ...] = ()
    hint: str = NO_TIMING_YET
    """Shown if there are no rounds."""


def show_timing(rounds: Sequence[ReadRound], selected: ReadRound | None) -> TimingView:
    """Show the rounds of the turn that contains the selected round."""
    generation = selected.stored.generation if selected else None
    if selected is None or generation is None:
        return TimingView()
    facts = (
        TimingFact(name="model", value=generation.engine_name),
        TimingFact(name="finish reason", value=generation.finish_reason.value),
        TimingFact(name="tool choice", value=generation.tool_choice),
        TimingFact(name="prefill", value=json.dumps(generation.prefill) if generation.prefill else "none"),
        TimingFact(name="sampling", value=sampling_words(generation.sampling)),
    )
    turn = [
        read_round
        for read_round in rounds
        if read_round.turn == selected.turn and read_round.stored.generation
    ]
    return TimingView(
        rounds=tuple(_timed(read_round, is_selected=read_round is selected) for read_round in turn),
        facts=facts,
    )


def _timed(read_round: ReadRound, *, is_selected: bool) -> TimedRound:
    assert read_round.stored.generation is not None
    timing = read_round.stored.generation.timing
    return TimedRound(
        cells=(
            str(read_round.number),
            figure(timing.prompt_tokens),
            figure(timing.cached_tokens),
            figure(timing.completion_tokens),
            seconds(timing.time_to_first_token_s),
            speed_text(timing.tokens_per_second),
            seconds(timing.seconds),
        ),
        is_selected=is_selected,
    )
