"""The line that says what is answered: a question of one's own, or turns of a session."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.app.comparisons.planning import Turns
from workbench.records.sessions import StoredMessage, StoredSession
from workbench.ui.present.words import count

QUESTION_CHARS = 200
"""So much of a question is shown in the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareTargetView:
    """The line."""

    session: str = ""
    """The session's id; empty for a question of one's own."""
    message: str = ""
    """The turn's message, for a link."""
    title: str = ""
    """The session's."""
    note: str = ""
    """Which of its turns."""
    question: str = ""
    """What is asked there."""


NO_TARGET = CompareTargetView()
"""A question of one's own."""


def show_target(session: StoredSession, turns: Turns, asked: Sequence[StoredMessage]) -> CompareTargetView:
    """The line for turns of a session; `asked` are its user's messages that are answered."""
    last = asked[-1]
    text = " ".join(last.message.text[: QUESTION_CHARS + 1].split())
    return CompareTargetView(
        session=session.id,
        message=last.id,
        title=session.title or "untitled",
        note=count(len(asked), "turn") if turns.is_whole else "one turn",
        question=text if len(text) <= QUESTION_CHARS else text[: QUESTION_CHARS - 1] + "…",
    )
