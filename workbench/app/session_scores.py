"""Score the sessions that have a tag, without a suite."""

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.errors import BadInput, StoreError
from workbench.records.corpus.material import SessionFilter
from workbench.records.facts import MessageFact
from workbench.records.session_score import ScoredCompletion, TurnScore, score_path, scores_by, turn_score

if TYPE_CHECKING:
    from workbench.store.store import OwnedStore

_AT_ONCE: Final = 200
"""How many sessions are chosen at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionScores:
    """The scores of sessions."""

    sessions: int
    """Number of sessions that were scored."""
    completions: tuple[ScoredCompletion, ...]
    """Of all branches, each once."""
    left_out: tuple[str, ...] = ()
    """Why a session could not be read, for each such session."""

    @property
    def total(self) -> TurnScore:
        """The score of all turns."""
        return turn_score("all", self.completions)

    @property
    def by_model(self) -> tuple[TurnScore, ...]:
        """A score for each model."""
        return scores_by(lambda completion: completion.model, self.completions)

    @property
    def by_day(self) -> tuple[TurnScore, ...]:
        """A score for each day, the oldest first."""
        return scores_by(lambda completion: completion.day, self.completions)


def score_sessions(own: "OwnedStore", chosen: SessionFilter) -> SessionScores:
    """Score the owner's sessions that match a filter.

    Raises:
        StoreError: The sessions cannot be listed.
    """
    found: dict[str, ScoredCompletion] = {}
    left_out: list[str] = []
    count, after = 0, None
    while ids := own.corpus.choose(chosen, after=after, limit=_AT_ONCE):
        after = ids[-1]
        for session_id in ids:
            try:
                scored = _scored(own, session_id)
            except StoreError as error:
                left_out.append(str(error))
                continue
            count += 1
            for completion in scored:
                found.setdefault(completion.message_id, completion)
    return SessionScores(sessions=count, completions=tuple(found.values()), left_out=tuple(left_out))


def _scored(own: "OwnedStore", session_id: str) -> list[ScoredCompletion]:
    """Score the completions of all branches of a session."""
    session = own.sessions.find_session(session_id)
    if session is None:
        return []
    try:
        tools = session.setup.offered_tools()
    except BadInput:
        tools = None
    facts: dict[str, list[MessageFact]] = defaultdict(list)
    for message_id, fact in own.facts.of_session(session_id):
        facts[message_id].append(fact)
    tree = own.sessions.tree(session_id)
    parents = {node.parent_id for node in tree}
    return [
        completion
        for node in tree
        if node.id not in parents
        for completion in score_path(own.sessions.path(session_id, leaf_id=node.id), session_id, tools, facts)
    ]
