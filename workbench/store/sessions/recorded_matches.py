"""Find the stored messages that a request continues, by the hashes of its conversation.

`workbench.records.exchanges` says how the hashes are made, and what they leave out.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from workbench.records.exchanges import ClientRequest, RecordedPart, RequestPath
from workbench.store.deleting import is_shown
from workbench.store.tables import MessageRow, RecordedMessageRow, RecordedSessionRow, SessionRow

_LAST: Final = 8
"""How many of the last messages of a request are looked up first. A request usually adds a few messages."""


class Match(NamedTuple):
    """A stored message that ends a part of a request."""

    depth: int
    """Index of its path hash in the request."""
    session_id: str
    message_id: str
    position: int
    """Number of messages above it."""
    system_hash: str
    """Of the system messages above it."""
    has_same_system: bool


def conditions_of(request: ClientRequest) -> tuple[ColumnElement[bool], ...]:
    """Return conditions that are true if the session of the outer query can have the request."""
    row = RecordedSessionRow
    return (
        col(row.tag) == request.tag,
        col(row.model) == request.setup.model,
        col(row.contract) == request.setup.contract_name,
    )


def find_kept(
    db: Session, request: ClientRequest, conditions: Sequence[ColumnElement[bool]]
) -> RecordedPart | None:
    """Return the session of a conversation whose beginning the client replaced, the newest of several."""
    if not request.kept_hashes:
        return None
    row = RecordedMessageRow
    session_id = db.exec(
        select(row.session_id)
        .join(MessageRow, col(MessageRow.id) == col(row.message_id))
        .join(SessionRow, col(SessionRow.id) == col(row.session_id))
        .join(RecordedSessionRow, col(RecordedSessionRow.session_id) == col(row.session_id))
        .where(col(row.kept_hash).in_(request.kept_hashes), is_shown(), *conditions)
        .where(col(row.system_hash) == request.path.system_hash)
        .order_by(col(MessageRow.created_at).desc())
        .limit(1)
    ).first()
    return None if session_id is None else RecordedPart(session_id=session_id, depth=0)


def nearest_of(matches: Sequence[Match], path: RequestPath) -> Match | None:
    """Return the match with the most answers; of several, one with the same system text, then the longest.

    Messages after the last answer do not count first: two agents whose system texts differ in a number may get the same
    results for the same call, but each goes on below its own answer.
    """
    return max(
        matches,
        key=lambda match: (path.answers[match.depth], match.has_same_system, match.depth),
        default=None,
    )


def longest_of(matches: Sequence[Match]) -> Match | None:
    """Return the longest match; of several, one with the same system text, then the newest."""
    return max(matches, key=lambda match: (match.depth, match.has_same_system), default=None)


def find_matches(
    db: Session, path: RequestPath, conditions: Sequence[ColumnElement[bool]], *, is_any_depth: bool = False
) -> Sequence[Match]:
    """Return the stored messages that end a part of a request, the newest first.

    If the last messages of the request are stored with the same system text, only those are returned.

    Args:
        conditions: Conditions on `SessionRow` and `RecordedSessionRow`.
        is_any_depth: False leaves out parts that are too short to tell a conversation from others.
    """
    first = 0 if is_any_depth else path.first_user
    depths = {path_hash: depth for depth, path_hash in enumerate(path.hashes) if depth >= first}
    last = list(depths)[-_LAST:]
    matches = _matches_of(db, path, {path_hash: depths[path_hash] for path_hash in last}, conditions)
    if len(last) == len(depths) or any(match.has_same_system for match in matches):
        return matches
    return _matches_of(db, path, depths, conditions)


def _matches_of(
    db: Session, path: RequestPath, depths: Mapping[str, int], conditions: Sequence[ColumnElement[bool]]
) -> Sequence[Match]:
    # Through the connection, which takes half as long: no rows are objects here.
    found = db.connection().execute(
        sa.select(
            col(RecordedMessageRow.path_hash),
            col(RecordedMessageRow.system_hash),
            col(RecordedMessageRow.session_id),
            col(RecordedMessageRow.message_id),
            col(MessageRow.position),
        )
        .join(MessageRow, col(MessageRow.id) == col(RecordedMessageRow.message_id))
        .join(SessionRow, col(SessionRow.id) == col(RecordedMessageRow.session_id))
        .join(RecordedSessionRow, col(RecordedSessionRow.session_id) == col(RecordedMessageRow.session_id))
        .where(col(RecordedMessageRow.path_hash).in_(depths), is_shown(), *conditions)
        .order_by(col(MessageRow.created_at).desc(), col(MessageRow.position).desc())
    )
    matches = (
        Match(
            depths[path_hash], session_id, message_id, position, system_hash, system_hash == path.system_hash
        )
        for path_hash, system_hash, session_id, message_id, position in found
    )
    return [match for match in matches if match.has_same_system or match.depth >= path.first_answer]
