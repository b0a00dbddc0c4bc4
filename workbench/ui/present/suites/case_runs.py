"""The repetitions of a case: what was expected, what came, and the stored rollout."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.records.sessions import StoredMessage
from workbench.suite.compare import RunPair
from workbench.suite.result import CaseResult
from workbench.ui.present.text_spans import TextSpan, marked_pieces

ReadRollout = Callable[[str], Sequence[StoredMessage]]
"""The messages of a stored session; none of one that is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutMessageView:
    """A message of a rollout."""

    role: str
    pieces: tuple[TextSpan, ...]
    """Its text, marks told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRunView:
    """One play of a case."""

    title: str
    """The arm, and which repetition; in a comparison, before or after."""
    status: str
    """passed, failed or error."""
    outcomes: tuple[tuple[str, str], ...]
    """Of each expectation: a sign and the reason."""
    read: tuple[tuple[str, str], ...]
    """The reading: calls, answer, fixes, lost calls, error; each with its name."""
    note: str
    """Tokens and seconds."""
    session: str
    """Id of the rollout; empty where there is none."""
    said: tuple[RolloutMessageView, ...]
    """The rollout, as it is stored; none where it is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePlaysView:
    """A case that is looked into."""

    case: str
    said: str
    """What the user said last."""
    plays: tuple[CaseRunView, ...]
    """Of one arm one below the other, or the two of a comparison side by side."""
    is_pair: bool = False
    """True of a comparison."""


def show_plays(case: str, results: Sequence[CaseResult], read_rollout: ReadRollout) -> CasePlaysView:
    """The plays of one case."""
    return CasePlaysView(
        case=case,
        said=results[0].said if results else "",
        plays=tuple(_play(one, _title(one), read_rollout) for one in results),
    )


def show_pair(pair: RunPair, read_rollout: ReadRollout) -> CasePlaysView:
    """The same play in two runs, or in two arms, side by side."""
    both = [("before", pair.before), ("after", pair.after)]
    return CasePlaysView(
        case=f"{pair.suite}/{pair.case_id}",
        said=next((one.said for _, one in both if one), ""),
        plays=tuple(_play(one, f"{word} · {_title(one)}", read_rollout) for word, one in both if one),
        is_pair=True,
    )


def _title(one: CaseResult) -> str:
    return one.arm + (f" · play {one.repetition + 1}" if one.repetition else "")


def _play(one: CaseResult, title: str, read_rollout: ReadRollout) -> CaseRunView:
    measures = one.measures
    return CaseRunView(
        title=title,
        status=one.status.value,
        outcomes=tuple(("✓" if each.holds else "✗", f"{each.kind}: {each.reason}") for each in one.outcomes),
        read=tuple((name, text) for name, text in _read(one) if text),
        note=f"{measures.prompt_tokens} + {measures.completion_tokens} tokens · {measures.seconds:.1f} s",
        session=one.session_id or "",
        said=_rollout(one, read_rollout),
    )


def _read(one: CaseResult) -> tuple[tuple[str, str], ...]:
    fixes = ", ".join(
        f"{code} × {number}" if number > 1 else code for code, number in one.measures.fixes.items()
    )
    lost = f"{one.measures.dropped} not read" if one.measures.dropped else ""
    return (
        ("calls", one.calls_told),
        ("answer", one.answer),
        ("fixes", fixes),
        ("lost calls", lost),
        ("error", one.error),
    )


def _rollout(one: CaseResult, read_rollout: ReadRollout) -> tuple[RolloutMessageView, ...]:
    messages = read_rollout(one.session_id) if one.session_id else ()
    return tuple(
        RolloutMessageView(role=kept.message.role.value, pieces=marked_pieces(kept.message.text))
        for kept in messages
    )
