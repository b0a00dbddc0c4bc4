"""One answer for comparison: its calls, its text, its fixes, and its costs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.app.comparisons.opened import OpenedAnswer
from workbench.errors import BadInput
from workbench.records.comparisons import ComparisonAnswer
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage
from workbench.rollout.events import Timing
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.blocks import BrokenCall, CallCard, ProseBlock, ThoughtBlock, TrailingBlock
from workbench.ui.present.conversation import ReadRound, read_path
from workbench.ui.present.transcript import show_transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFigures:
    """What an answer took, all its rounds together."""

    rounds: int
    prompt_tokens: int
    """Length of the last prompt."""
    evaluated_tokens: int | None
    """Of all prompts; None where the engine does not say."""
    written_tokens: int
    seconds: float
    """From the requests to the ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReading:
    """An answer as it is compared."""

    answer: ComparisonAnswer
    calls: tuple[CallCard, ...]
    """All that could be read, of all rounds in order."""
    broken: tuple[BrokenCall | TrailingBlock, ...]
    """Blocks that gave no call, and what stands behind the turn's end."""
    thoughts: tuple[ThoughtBlock, ...]
    text: str
    """What the model said to the user, of all rounds."""
    fixes: Mapping[tuple[str, bool], int] = field(hash=False)
    """How often each fix was made, by its code and whether it is a guess."""
    notes: tuple[str, ...]
    """How its completions ended, where that is not as it should be."""
    figures: AnswerFigures | None
    """None where nothing was written."""
    message_id: str | None
    """Its first message; None where there is none."""


def read_answer(opened: OpenedAnswer, setup: RunConfig) -> AnswerReading:
    """An answer of the store, read with the tools that its column offers."""
    rounds = read_path(opened.path, _tools(setup))
    entries = show_transcript(opened.path, rounds, selected=None, examples=()).entries
    blocks = [block for entry in entries if entry.role == "model" for block in entry.blocks]
    return AnswerReading(
        answer=opened.answer,
        calls=tuple(one for one in blocks if isinstance(one, CallCard)),
        broken=tuple(one for one in blocks if isinstance(one, BrokenCall | TrailingBlock)),
        thoughts=tuple(one for one in blocks if isinstance(one, ThoughtBlock)),
        text="\n\n".join(one.text for one in blocks if isinstance(one, ProseBlock)),
        fixes=_fixes(rounds),
        notes=tuple(entry.note for entry in entries if entry.note),
        figures=_figures(opened.path),
        message_id=opened.path[0].id if opened.path else None,
    )


def _tools(setup: RunConfig) -> OfferedTools:
    try:
        return setup.offered_tools()
    except BadInput:
        return OfferedTools()


def _fixes(rounds: Iterable[ReadRound]) -> Mapping[tuple[str, bool], int]:
    return Counter((fix.code, fix.is_guess) for one in rounds for fix in one.reading.fixes)


def _figures(path: Sequence[StoredMessage]) -> AnswerFigures | None:
    timings = [kept.generation.timing for kept in path if kept.generation]
    if not timings:
        return None
    evaluated = [one.evaluated_tokens for one in timings]
    return AnswerFigures(
        rounds=len(timings),
        prompt_tokens=timings[-1].prompt_tokens,
        evaluated_tokens=None if None in evaluated else sum(filter(None, evaluated)),
        written_tokens=_sum_written(timings),
        seconds=sum(one.seconds for one in timings),
    )


def _sum_written(timings: Iterable[Timing]) -> int:
    return sum(one.completion_tokens for one in timings)
