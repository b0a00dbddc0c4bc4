"""Show the runs of a case: expectations, results and the stored rollout."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.chat.figures import figure
from workbench.records.sessions import StoredMessage
from workbench.suite.compare import RunPair
from workbench.suite.reports.tables import counts_text
from workbench.suite.result import CaseResult, CaseStatus
from workbench.ui.present.text_spans import TextSpan, marked_pieces

ReadRollout = Callable[[str], Sequence[StoredMessage]]
"""Returns the messages of a stored session. Empty if the session was deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutMessageView:
    """A message of a rollout."""

    role: str
    pieces: tuple[TextSpan, ...]
    """The text, with tags and special tokens as pieces of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRunView:
    """One run of a case."""

    title: str
    """Arm and repetition, and in a comparison `before` or `after`."""
    status: str
    """`passed`, `failed`, `error`, `void` or `unchecked`."""
    outcomes: tuple[tuple[str, str], ...]
    """For each expectation: ✓ or ✗, and the reason, with the turn in which it broke."""
    read: tuple[tuple[str, str], ...]
    """Who failed, calls, answer, fixes, dropped calls and error, each with its name."""
    note: str
    """Number of tokens and seconds."""
    session: str
    """Id of the session with the rollout. Empty if there is none."""
    message: str
    """The message that begins the turn in which a conversation failed. Empty if there is none."""
    turn: int | None
    """The number of this turn."""
    messages: tuple[RolloutMessageView, ...]
    """The stored rollout. Empty if it was deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRunsView:
    """The runs of a case."""

    case: str
    user_text: str
    """The last user message of the case."""
    runs: tuple[CaseRunView, ...]
    """Shown one below the other, or side by side for a comparison."""
    is_pair: bool = False
    """True for a comparison."""


def show_case_runs(case: str, results: Sequence[CaseResult], read_rollout: ReadRollout) -> CaseRunsView:
    """Show the runs of one case."""
    return CaseRunsView(
        case=case,
        user_text=results[0].said if results else "",
        runs=tuple(_run(result, _title(result), read_rollout) for result in results),
    )


def show_pair(pair: RunPair, read_rollout: ReadRollout) -> CaseRunsView:
    """Show the same case in two runs, or in two arms, side by side."""
    both = [("before", pair.before), ("after", pair.after)]
    return CaseRunsView(
        case=f"{pair.suite}/{pair.case_id}",
        user_text=next((result.said for _, result in both if result), ""),
        runs=tuple(
            _run(result, f"{word} · {_title(result)}", read_rollout) for word, result in both if result
        ),
        is_pair=True,
    )


def _title(result: CaseResult) -> str:
    return result.arm + (f" · repetition {result.repetition + 1}" if result.repetition else "")


def _run(result: CaseResult, title: str, read_rollout: ReadRollout) -> CaseRunView:
    measures = result.measures
    return CaseRunView(
        title=title,
        status=result.status.value,
        outcomes=tuple(
            (
                "✓" if outcome.holds else "✗",
                f"{outcome.kind}: {outcome.reason}" + (f" (turn {outcome.turn})" if outcome.turn else ""),
            )
            for outcome in result.outcomes
        ),
        read=tuple((name, text) for name, text in _read(result) if text),
        note=f"{figure(measures.prompt_tokens)} + {figure(measures.completion_tokens)} tokens"
        f" · {measures.seconds:.1f} s",
        session=result.session_id or "",
        message=result.message_id,
        turn=result.turn,
        messages=_rollout(result, read_rollout),
    )


def _read(result: CaseResult) -> tuple[tuple[str, str], ...]:
    dropped = str(result.measures.dropped) if result.measures.dropped else ""
    return (
        ("who failed", result.blame.value if result.blame else ""),
        ("calls", result.calls_told),
        ("answer", result.answer),
        ("fixes", counts_text(result.measures.fixes)),
        ("dropped calls", dropped),
        ("why void" if result.status is CaseStatus.VOID else "error", result.error),
    )


def _rollout(result: CaseResult, read_rollout: ReadRollout) -> tuple[RolloutMessageView, ...]:
    messages = read_rollout(result.session_id) if result.session_id else ()
    return tuple(
        RolloutMessageView(role=stored.message.role.value, pieces=marked_pieces(stored.message.text))
        for stored in messages
    )
