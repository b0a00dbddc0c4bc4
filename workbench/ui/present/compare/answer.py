"""Read one answer for comparison: its calls, text, fixes and costs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.app.comparisons.opened import OpenedAnswer
from workbench.chat.figures import known_sum
from workbench.errors import BadInput
from workbench.records.comparisons import ComparisonAnswer
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.blocks import BrokenCall, CallCard, ProseBlock, ThoughtBlock, TrailingBlock
from workbench.ui.present.conversation import ReadRound, read_path
from workbench.ui.present.transcript import show_transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFigures:
    """The costs of an answer, over all its rounds."""

    rounds: int
    prompt_tokens: int | None
    """Length of the last prompt. None if the engine does not report it, as for the next two."""
    evaluated_tokens: int | None
    """Prompt tokens that were evaluated instead of taken from the prefix cache."""
    written_tokens: int | None
    seconds: float
    """Time from request to end, summed over the rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReading:
    """An answer, read for comparison."""

    answer: ComparisonAnswer
    calls: tuple[CallCard, ...]
    """All parsed calls of all rounds, in order."""
    broken: tuple[BrokenCall | TrailingBlock, ...]
    """Blocks without a parsed call, and text after the end of the turn."""
    thoughts: tuple[ThoughtBlock, ...]
    text: str
    """The text for the user, of all rounds."""
    fixes: Mapping[tuple[str, bool], int] = field(hash=False)
    """Number of times that each fix was made, by its code and whether it is a guess."""
    notes: tuple[str, ...]
    """How completions ended, if not normally."""
    figures: AnswerFigures | None
    """None if the model wrote nothing."""
    message_id: str | None
    """The first message of the answer, or None if there is none."""


def read_answer(opened: OpenedAnswer, setup: RunConfig) -> AnswerReading:
    """Read a stored answer with the tools that its column offers."""
    rounds = read_path(opened.path, _tools(setup))
    entries = show_transcript(opened.path, rounds, selected=None, examples=()).entries
    blocks = [block for entry in entries if entry.role == "model" for block in entry.blocks]
    return AnswerReading(
        answer=opened.answer,
        calls=tuple(block for block in blocks if isinstance(block, CallCard)),
        broken=tuple(block for block in blocks if isinstance(block, BrokenCall | TrailingBlock)),
        thoughts=tuple(block for block in blocks if isinstance(block, ThoughtBlock)),
        text="\n\n".join(block.text for block in blocks if isinstance(block, ProseBlock)),
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
    return Counter((fix.code, fix.is_guess) for read_round in rounds for fix in read_round.reading.fixes)


def _figures(path: Sequence[StoredMessage]) -> AnswerFigures | None:
    timings = [stored.generation.timing for stored in path if stored.generation]
    if not timings:
        return None
    return AnswerFigures(
        rounds=len(timings),
        prompt_tokens=timings[-1].prompt_tokens,
        evaluated_tokens=known_sum(timing.evaluated_tokens for timing in timings),
        written_tokens=known_sum(timing.completion_tokens for timing in timings),
        seconds=sum(timing.seconds for timing in timings),
    )
